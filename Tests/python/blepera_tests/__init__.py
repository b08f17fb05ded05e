"""What the Python tests share: where the project's files are, the program under test, and the events that it prints."""
