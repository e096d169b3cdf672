using System.Runtime.CompilerServices;

// Keys are written to stack buffers before they are read; clearing these first takes longer than hashing the key.
[module: SkipLocalsInit]
