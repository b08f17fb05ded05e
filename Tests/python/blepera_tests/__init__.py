"""The base of the Python tests: the paths of the project's files, the program under test, and its events."""
