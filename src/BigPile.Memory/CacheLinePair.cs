using System.Runtime.InteropServices;

namespace BigPile.Memory;

/// <summary>Padding of two cache lines, which the processor fetches as a pair.</summary>
[StructLayout(LayoutKind.Sequential, Size = 128)]
internal struct CacheLinePair;
