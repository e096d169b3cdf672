using System.Runtime.CompilerServices;

namespace BigPile.Ports.Layout;

/// <summary>The four words of a granule: whom it belongs to, and what is to be known of the object whose first granule it is.</summary>
/// <remarks>
/// An object lives while its holder mask is not zero, and one atomic instruction ends it. What its granules say of whom they belong to
/// needs no change then: a reference whose generation is not the head's any more, or whose head nobody holds, is dead for ever.
/// </remarks>
internal readonly unsafe struct ObjectRecord(byte* at)
{
    internal const long Bytes = 32;

    /// <summary>The <see cref="Reference"/> of the object that the granule belongs to, or last belonged to.</summary>
    internal ref ulong Owner => ref Unsafe.AsRef<ulong>(at);

    /// <summary>A bit for each process that holds the object which begins here.</summary>
    internal ref ulong Holders => ref Unsafe.AsRef<ulong>(at + 8);

    /// <summary>How many objects have begun here; only who has just become the first holder changes it.</summary>
    internal ref ulong Generation => ref Unsafe.AsRef<ulong>(at + 16);

    /// <summary>The <see cref="ChecksummedLength"/> of the object.</summary>
    internal ref ulong Length => ref Unsafe.AsRef<ulong>(at + 24);
}
