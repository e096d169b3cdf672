using System;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Graph;

/// <summary>How objects of exactly one type are written and read.</summary>
/// <remarks>
/// Content comes in two shapes: an array of elements, whose header also counts a type id where one is needed; or one value that is no
/// array, which is wrapped together with its type id where one is needed. Thread safety: all members may be called concurrently.
/// </remarks>
internal abstract unsafe class TypeModel(Type type, ModelCache models, bool isSkipper = false) : IDefined
{
    /// <summary>The count that stands for content which is not an array.</summary>
    public const int NoArray = -1;

    private readonly nint _handle = type.TypeHandle.Value;
    private int _typeId;
    private int _rootTracking;

    public Type Type => type;

    /// <summary>Whether an object is of exactly this type: one load and one compare.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsModelOf(object value) => RawObject.TypeHandle(value) == _handle;

    /// <summary>Payloads of such a root have none of the pile's extensions.</summary>
    public bool IsPlainRoot { get; set; }

    /// <summary>It reads content whose type is gone, and gives no object.</summary>
    public bool IsSkipper { get; } = isSkipper;

    /// <summary>Objects have an identity that is kept, and are numbered.</summary>
    public virtual bool IsTracked => true;

    /// <summary>Objects hold no other objects, so they add nothing to the depth of a graph.</summary>
    public virtual bool IsLeaf => false;

    /// <summary>An object can be made before its content is known.</summary>
    public virtual bool CanDefer => IsTracked && !IsLeaf;

    /// <summary>The id of this schema in the catalog.</summary>
    public int TypeId => _typeId != 0 ? _typeId : AssignTypeId();

    /// <summary>Writing a graph from here starts with numbering its objects.</summary>
    public bool IsTrackedAsRoot => _rootTracking == 0 ? AnalyzeAsRoot() : _rootTracking > 0;

    /// <summary>From now on graphs from here are numbered from the start.</summary>
    public void TrackAsRoot() => Volatile.Write(ref _rootTracking, 1);

    /// <summary>Writes an object with all that belongs to a reference: numbering, depth, type id (0: the reader knows the type).</summary>
    public byte* WriteReference(object value, int typeId, byte* p, WriteContext c)
    {
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
        c.Depth--;
        return p;
    }

    /// <summary>Writes the header, the type id if there is one, and the content.</summary>
    public abstract byte* WriteContent(object value, int typeId, byte* p, WriteContext c);

    /// <summary>Makes the object, puts it in its place, numbers it, and reads its content.</summary>
    /// <param name="target">The place.</param>
    /// <param name="count">
    /// The elements that the array has behind its type id, or <see cref="NoArray"/> when the content is no array.
    /// </param>
    /// <param name="p">The first element, or the value that is no array.</param>
    /// <param name="c">The reading thread's state.</param>
    public abstract byte* ReadContent(ref object? target, int count, byte* p, ReadContext c);

    /// <summary>Reads content in its exact form, header included.</summary>
    public virtual byte* ReadExact(ref object? target, byte* p, ReadContext c)
    {
        int count = NoArray;
        if (Code.IsArray(*p))
            p = c.ArrayHeader(p, out count);
        return ReadContent(ref target, count, p, c);
    }

    /// <summary>The numbers that a reader needs to make the object before it sees its content.</summary>
    public virtual int[] CreationLengths(object value) => [];

    /// <summary>Makes an object whose content comes later.</summary>
    public virtual object CreateDeferred(ReadOnlySpan<int> lengths, ReadContext c)
    {
        BadData.BadReference();
        return null!;
    }

    /// <summary>Reads the content of an object that was made before.</summary>
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
