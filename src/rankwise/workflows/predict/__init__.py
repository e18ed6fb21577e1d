"""What a program will take on a platform: questions, platforms and the simulator put together."""
