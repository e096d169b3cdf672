using System.Runtime.InteropServices;

namespace BigPile.Perf.Copies;

/// <summary>C's memcpy: the upper bound for a program that moves bytes with the processor.</summary>
internal static unsafe partial class CMemory
{
    // Without the GC transition, which would be a tenth of a small copy.
    [LibraryImport("libc", EntryPoint = "memcpy")]
    [SuppressGCTransition]
    internal static partial void* Copy(void* destination, void* source, nuint lengthBytes);
}
