using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Graph;

/// <summary>Writes and reads objects of exactly one type.</summary>
/// <remarks>
/// An object's content has one of two shapes. An array of elements: a type id, where needed, is its first element, and the header counts
/// it. Or one value that is no array: where a type id is needed, an array of the two wraps it.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal abstract unsafe class TypeModel(Type type, ModelCache models, bool isSkipper = false) : IDefined
{
    /// <summary>The count of content that is not an array.</summary>
    public const int NoArray = -1;

    // The type's handle, which each of its objects has in its header.
    private readonly nint _handle = type.TypeHandle.Value;

    // The id of the schema in the catalog; 0 until the first write.
    private int _typeId;

    // Whether writing a graph from here starts with tracking: 1 yes, -1 no, 0 not analyzed yet. Never goes from 1 to -1.
    private int _rootTracking;

    public Type Type => type;

    /// <summary>Whether an object is of exactly this type: one load and one compare.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsModelOf(object value) => RawObject.TypeHandle(value) == _handle;

    /// <summary>Whether payloads with such a root are in the plain format, without the pile's extensions.</summary>
    public bool IsPlainRoot { get; set; }

    /// <summary>Whether this model skips content whose type no longer exists, and makes no object.</summary>
    public bool IsSkipper { get; } = isSkipper;

    /// <summary>Whether objects keep their identity. Such objects are numbered.</summary>
    public virtual bool IsTracked => true;

    /// <summary>Whether objects hold no other objects, and so can't make a graph deeper.</summary>
    public virtual bool IsLeaf => false;

    /// <summary>Whether an object can be made before its content is read.</summary>
    public virtual bool CanDefer => IsTracked && !IsLeaf;

    /// <summary>The id of this schema in the catalog.</summary>
    public int TypeId => _typeId != 0 ? _typeId : AssignTypeId();

    /// <summary>Whether writing a graph from here starts with tracking.</summary>
    public bool IsTrackedAsRoot => _rootTracking == 0 ? AnalyzeAsRoot() : _rootTracking > 0;

    /// <summary>Makes all later writes of graphs from here start with tracking.</summary>
    public void TrackAsRoot() => Volatile.Write(ref _rootTracking, 1);

    /// <summary>
    /// Writes an object at a reference: a back reference, a forward reference if it is too deep, or its content with a type id (0: none,
    /// the reader knows the type).
    /// </summary>
    public byte* WriteReference(object value, int typeId, byte* p, WriteContext c)
    {
        Debug.Assert(typeId == 0 || typeId == _typeId, "An object is written with its own model's id: readers choose by it.");
        if (c.IsTracking && IsTracked)
        {
            int number = c.References.FindOrAdd(value);
            if (number >= 0)
                return c.BackReference(p, number);
        }
        if (c.Depth >= WriteContext.DepthLimit)
            return WriteDeep(value, typeId, p, c);
        c.Depth++;
        p = WriteContent(value, typeId, p, c);
        Debug.Assert(c.IsInBuffer(p), "What was written since the last check of the capacity fits into the slack.");
        Debug.Assert(c.Depth > 0, "An object inside leaves as often as it enters.");
        c.Depth--;
        return p;
    }

    /// <summary>Writes the header, the type id if there is one, and the content.</summary>
    public abstract byte* WriteContent(object value, int typeId, byte* p, WriteContext c);

    /// <summary>Makes the object, stores its reference, numbers it, and reads its content.</summary>
    /// <param name="target">Where to store the reference.</param>
    /// <param name="count">The number of elements after the type id, or <see cref="NoArray"/> if the content is no array.</param>
    /// <param name="p">The first element, or the value that is no array.</param>
    /// <param name="c">The state of reading.</param>
    public abstract byte* ReadContent(ref object? target, int count, byte* p, ReadContext c);

    /// <summary>Reads content without a type id, header included.</summary>
    public virtual byte* ReadExact(ref object? target, byte* p, ReadContext c)
    {
        int count = NoArray;
        if (Code.IsArray(*p))
            p = c.ArrayHeader(p, out count);
        return ReadContent(ref target, count, p, c);
    }

    /// <summary>The lengths that a reader needs to make the object before it reads the content.</summary>
    public virtual int[] CreationLengths(object value) => [];

    /// <summary>Makes an object whose content is read later.</summary>
    public virtual object CreateDeferred(ReadOnlySpan<int> lengths, ReadContext c)
    {
        BadData.BadReference();
        return null!;
    }

    /// <summary>Reads the content of an object that <see cref="CreateDeferred"/> made.</summary>
    public virtual byte* FillDeferred(object value, byte* p, ReadContext c)
    {
        BadData.BadReference();
        return p;
    }

    public abstract void Define(DefinitionWriter definition);

    public virtual void Analyze(SharingAnalysis analysis)
    {
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* WriteDeep(object value, int typeId, byte* p, WriteContext c)
    {
        // Not inside a key that is hashed before the graph is filled: a deferred part of it would be missing from the hash.
        if (CanDefer && c.OpenKeys == 0)
            return c.Defer(p, value, this);
        if (!IsLeaf && (c.Depth >= WriteContext.InPlaceDepthLimit || !RuntimeHelpers.TryEnsureSufficientExecutionStack()))
            throw new PileSerializationException(WhyTooDeep(c));
        c.Depth++;
        p = WriteContent(value, typeId, p, c);
        c.Depth--;
        return p;
    }

    private string WhyTooDeep(WriteContext c) => c.OpenKeys > 0
        ? $"The graph nests objects of type {type} too deep in the keys of a frozen collection, which are hashed while they are read: "
            + "use a Dictionary or a HashSet."
        : $"The graph nests objects of type {type} too deep: they can't be written apart from each other.";

    private int AssignTypeId()
    {
        int id = models.Assign(this);
        Debug.Assert(id is > 0 and <= ISchemaCatalog.IdMost, "An id has a place in a payload's prefix, and 0 means that there is none.");
        Volatile.Write(ref _typeId, id);
        return id;
    }

    private bool AnalyzeAsRoot()
    {
        bool canShare = SharingAnalysis.Of(this);
        Interlocked.CompareExchange(ref _rootTracking, canShare ? 1 : -1, 0);
        return _rootTracking > 0;
    }
}
