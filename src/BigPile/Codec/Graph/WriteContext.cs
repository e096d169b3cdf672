using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace BigPile.Codec;

/// <summary>What one thread needs while it writes a graph. The position itself is passed and returned by value.</summary>
internal sealed unsafe class WriteContext
{
    /// <summary>Objects below this depth are written after the root.</summary>
    public const int DepthLimit = 128;

    public WriteContext(MessagePackPileCodec codec) => Codec = codec;

    public MessagePackPileCodec Codec { get; }

    /// <summary>Behind it the buffer has only its slack.</summary>
    public byte* End;

    /// <summary>Objects are numbered, so that a second visit becomes a back reference.</summary>
    public bool IsTracking;

    /// <summary>How many objects enclose the one that is being written.</summary>
    public int Depth;

    public ReferenceTable References { get; } = new();

    public WorkQueue<(object Value, TypeModel Model)> Deferred { get; } = new();

    /// <summary>Numbers of immutable containers that are being written: nothing inside may refer to them.</summary>
    public List<int> OpenImmutables { get; } = [];

    public PayloadFlags Flags;

    /// <summary>The member names from the root, while an error is being located.</summary>
    public List<string>? Path;

    /// <summary>The model of the last root: most threads write one type for long.</summary>
    public TypeModel? LastRoot;

    private PileBuffer _buffer = null!;

    public void Begin(PileBuffer buffer, bool isTracking)
    {
        _buffer = buffer;
        End = buffer.End;
        IsTracking = isTracking;
        Depth = 0;
        Flags = PayloadFlags.None;
    }

    public void Finish()
    {
        References.Reset();
        Deferred.Reset();
        OpenImmutables.Clear();
        _buffer = null!;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public byte* Grow(byte* p, long extraBytes)
    {
        p = _buffer.Grow(p, extraBytes);
        End = _buffer.End;
        return p;
    }

    /// <summary>Room for content of a known size; afterwards the slack is whole again.</summary>
    public byte* Reserve(byte* p, long lengthBytes) => p + lengthBytes > End ? Grow(p, lengthBytes) : p;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public byte* BackReference(byte* p, int number)
    {
        if (OpenImmutables.Contains(number))
            throw new PileSerializationException("An immutable collection contains itself: it can't be built on read.");
        Flags |= PayloadFlags.HasBackReferences;
        return Encode.ShortExtension(p, ExtensionCode.BackReference, number);
    }

    /// <summary>What stands for an object in its place when it comes after the root.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public byte* Defer(byte* p, object value, TypeModel model)
    {
        Flags |= PayloadFlags.HasDeferred;
        Deferred.Enqueue((value, model));
        ReadOnlySpan<int> lengths = model.CreationLengths(value);
        p = Encode.ExtensionHeader(p, ExtensionCode.ForwardReference, sizeof(int) * (1 + lengths.Length));
        *(int*)p = model.TypeId;
        lengths.CopyTo(new Span<int>(p + sizeof(int), lengths.Length));
        return p + sizeof(int) * (1 + lengths.Length);
    }
}
