using BigPile.Torture.Values;

namespace BigPile.Torture.Journals;

/// <summary>One state of an object: all that is needed to build its value again. The default is an object that is not there.</summary>
internal struct ObjectVersion
{
    internal ulong Pointer;

    /// <summary>Of a node: the pointer that it holds.</summary>
    internal ulong Next;
    internal uint Revision;
    internal uint PatchRevision;
    internal int LengthBytes;
    internal Shape Shape;

    internal readonly bool IsLive => Revision != 0;
}
