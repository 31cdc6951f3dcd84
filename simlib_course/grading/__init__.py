"""Hand the course out, and grade what is handed in.

`python -m simlib course FOLDER` writes a copy for students: `handout`.
`python -m simlib grade FOLDER` grades notebooks: `grading`.

Nothing that a student wrote decides about a grade. A notebook runs in a closed box (`box`, `running`), and sends its
answers out as data (`inside`). A process outside, which runs no line of the notebook, reads them and asks
`simlib_course.lessons.verdict` (`judging`). A student's function stays in the box: the judge asks for its values.
"""
