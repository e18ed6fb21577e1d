"""What a platform's figures mean for a prediction: other figures, other sizes, how sure, what would help."""
