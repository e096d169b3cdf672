using System.Runtime.CompilerServices;

namespace BigPile.Caching.Keys;

/// <summary>Room on the stack for the bytes of most keys.</summary>
/// <remarks>
/// A field of a method's frame, where <c>stackalloc</c> would cost a guard value, a probe and a second stack pointer at each call.
/// </remarks>
[InlineArray(SizeBytes)]
internal struct KeyBuffer
{
    internal const int SizeBytes = 256;

#pragma warning disable IDE0044, IDE0051 // the runtime repeats it
    private byte _first;
#pragma warning restore IDE0044, IDE0051
}
