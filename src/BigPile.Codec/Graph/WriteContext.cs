using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Graph;

/// <summary>What is needed while a graph is written into one buffer. The position itself is passed and returned by value.</summary>
internal sealed unsafe class WriteContext(PileBuffer buffer) : PayloadWriter(buffer)
{
    /// <summary>Objects below this depth are written after the root.</summary>
    public const int DepthLimit = 128;

    /// <summary>Objects that can't be written after the root nest no deeper: any thread's stack must do for reading them.</summary>
    public const int InPlaceDepthLimit = 384;

    private string? _readBackFor;

    /// <summary>Objects are numbered, so that a second visit becomes a back reference.</summary>
    public bool IsTracking;

    /// <summary>How many objects enclose the one that is being written.</summary>
    public int Depth;

    public ReferenceTable References { get; } = new();

    public WorkQueue<(object Value, TypeModel Model)> Deferred { get; } = new();

    /// <summary>Numbers of immutable containers that are being written: nothing inside may refer to them.</summary>
    public List<int> OpenImmutables { get; } = [];

    /// <summary>
    /// How many keys enclose the place that a reader hashes before the graph is whole: nothing in them may come after the root.
    /// </summary>
    public int OpenKeys;

    public PayloadFlags Flags;

    /// <summary>The member names from the root, while an error is being located.</summary>
    public List<string>? Path;

    /// <summary>The model of the last root: most threads write one type for long.</summary>
    public TypeModel? LastRoot;

    public void Begin(bool isTracking)
    {
        Begin();
        IsTracking = isTracking;
        Depth = 0;
        Flags = PayloadFlags.None;
    }

    /// <summary>Lets go of the graph.</summary>
    /// <returns>If what was written must be read once before it counts: what is wrong with it when it can't be.</returns>
    public string? Finish() => IsTracking || Flags != PayloadFlags.None || _readBackFor is not null ? FinishTracked() : null;

    /// <summary>Has what is being written read once before it counts: whether something matters, only reading tells.</summary>
    /// <param name="reason">What is wrong when it can't be read, as sentences.</param>
    public void ReadBack(string reason) => _readBackFor ??= reason;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private string? FinishTracked()
    {
        string? readBackFor = _readBackFor;
        Reset();
        return readBackFor;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Reset()
    {
        References.Reset();
        Deferred.Reset();
        OpenImmutables.Clear();
        OpenKeys = 0;
        _readBackFor = null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public byte* BackReference(byte* p, int number)
    {
        if (OpenImmutables.Count > 0 && OpenImmutables.Contains(number))
            throw new PileSerializationException("An immutable collection contains itself: it can't be built on read.");
        if (IsPlain)
            throw new RefusedException(typeof(object), PlainForm.WhyNot("an object that two places refer to"));
        if (OpenKeys > 0)
            ReadBack("A frozen collection has keys that refer to objects outside of them, and would be hashed before those are whole: "
                + "use a Dictionary or a HashSet.");
        Flags |= PayloadFlags.HasBackReferences;
        return Encode.ShortExtension(p, ExtensionCode.BackReference, number);
    }

    /// <summary>What stands for an object in its place when it comes after the root.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public byte* Defer(byte* p, object value, TypeModel model)
    {
        if (IsPlain)
            throw new RefusedException(model.Type, PlainForm.WhyNot($"objects nested deeper than {DepthLimit}"));
        Flags |= PayloadFlags.HasDeferred;
        Deferred.Enqueue((value, model));
        ReadOnlySpan<int> lengths = model.CreationLengths(value);
        p = Encode.ExtensionHeader(p, ExtensionCode.ForwardReference, sizeof(int) * (1 + lengths.Length));
        *(int*)p = model.TypeId;
        lengths.CopyTo(new Span<int>(p + sizeof(int), lengths.Length));
        return p + sizeof(int) * (1 + lengths.Length);
    }
}
