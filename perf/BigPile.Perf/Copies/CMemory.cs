using System.Runtime.InteropServices;

namespace BigPile.Perf.Copies;

/// <summary>What C copies with: the memory's limit for a program that moves bytes with the processor.</summary>
internal static unsafe partial class CMemory
{
    // Without the steps that let the collector run meanwhile: they would be a tenth of a small copy.
    [LibraryImport("libc", EntryPoint = "memcpy")]
    [SuppressGCTransition]
    internal static partial void* Copy(void* destination, void* source, nuint lengthBytes);
}
