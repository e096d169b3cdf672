using System.Runtime.CompilerServices;

// Keys are written to room on the stack before they are read; clearing that room first takes longer than hashing the key.
[module: SkipLocalsInit]
