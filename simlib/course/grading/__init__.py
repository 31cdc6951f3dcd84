"""Hand the course out, and grade what is handed in.

`python -m simlib course FOLDER` writes a copy for students or for instructors, or a course for nbgrader: `handout`.
`python -m simlib grade FOLDER` grades notebooks: `grading`.

Nothing that a student wrote decides about a grade. A notebook is executed in a process of its own (`executing`), which
writes down the answers as data. A second process, which has never seen the notebook, reads them and asks
`simlib.course.lessons.verdict`: both ends are in `judging`. Functions are carried as their source, and only if they do
nothing but compute (`screening`).
"""
