"""Results for people: tables for the terminal, one self-contained HTML file."""
