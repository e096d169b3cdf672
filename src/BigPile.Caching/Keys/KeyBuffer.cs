using System.Runtime.CompilerServices;

namespace BigPile.Caching.Keys;

/// <summary>A buffer on the stack, large enough for the bytes of most keys.</summary>
/// <remarks>
/// An inline array is part of the method's frame; <c>stackalloc</c> would cost a guard value, a probe and a frame pointer at each call.
/// </remarks>
[InlineArray(SizeBytes)]
internal struct KeyBuffer
{
    internal const int SizeBytes = 256;

#pragma warning disable IDE0044, IDE0051 // the runtime repeats the field
    private byte _first;
#pragma warning restore IDE0044, IDE0051
}
