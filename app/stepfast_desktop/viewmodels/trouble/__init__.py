"""What is wrong: with the file or its disk, in the program; and what helps whoever is to mend it."""
