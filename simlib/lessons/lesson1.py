"""Lesson 1: first come, first served, and fragmentation."""

EXERCISES = {}
