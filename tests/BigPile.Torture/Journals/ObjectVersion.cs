using BigPile.Torture.Values;

namespace BigPile.Torture.Journals;

/// <summary>One state of an object: all that is needed to build its value again. The default is an object that is not there.</summary>
internal struct ObjectVersion
{
    internal ulong Pointer;

    /// <summary>Of a node: the pointer that it holds.</summary>
    internal ulong Next;

    /// <summary>The instant of the run's clock at which the operation that led here had ended.</summary>
    internal long Tick;
    internal uint Revision;

    /// <summary>The revision of the part that was overwritten; of an object that was deleted, the last one its thread had used.</summary>
    internal uint PatchRevision;
    internal int LengthBytes;
    internal Shape Shape;

    internal readonly bool IsLive => Revision != 0;

    /// <summary>The lowest revision that an object may have which was put or changed after this state.</summary>
    internal readonly uint NextRevision => (IsLive ? Revision : PatchRevision) + 1;

    internal readonly bool HasSameValue(in ObjectVersion other) =>
        (Revision, PatchRevision, LengthBytes, Shape, Next)
            == (other.Revision, other.PatchRevision, other.LengthBytes, other.Shape, other.Next);
}
