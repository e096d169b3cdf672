using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Wire;
using BigPile.Memory.Checking;

namespace BigPile.Codec.Graph;

/// <summary>The state of writing one graph. The position itself is passed and returned by value.</summary>
/// <remarks>It belongs to one buffer, and is reused for each payload. Thread safety: none.</remarks>
internal sealed unsafe class WriteContext(PileBuffer buffer) : PayloadWriter(buffer)
{
    /// <summary>Objects below this depth are written after the root.</summary>
    public const int DepthLimit = 128;

    /// <summary>The depth limit of objects that can't be written after the root: every thread's stack must suffice to read them.</summary>
    public const int InPlaceDepthLimit = 384;

    // The reason to read the payload back after writing; null: none.
    private string? _readBackFor;

    /// <summary>Whether objects are numbered, so that a second visit becomes a back reference.</summary>
    public bool IsTracking;

    /// <summary>How many objects enclose the one that is being written.</summary>
    public int Depth;

    /// <summary>The objects written so far, if <see cref="IsTracking"/>.</summary>
    public ReferenceTable References { get; } = new();

    /// <summary>The objects to be written after the root.</summary>
    public WorkQueue<(object Value, TypeModel Model)> Deferred { get; } = new();

    /// <summary>The numbers of immutable containers that are being written: nothing inside may refer to them.</summary>
    public List<int> OpenImmutables { get; } = [];

    /// <summary>
    /// How many keys enclose the value that a reader hashes before the graph is filled: no object in them may be written after the root.
    /// </summary>
    public int OpenKeys;

    public PayloadFlags Flags;

    /// <summary>The member names from the root, while the path to a refused object is sought; else null.</summary>
    public List<string>? Path;

    /// <summary>The model of the last root: most threads write objects of one type many times.</summary>
    public TypeModel? LastRoot;

    /// <summary>Whether nothing of a payload is left; for assertions.</summary>
    public bool IsClean =>
        References.Count == 0 && Deferred.Added == 0 && OpenImmutables.Count == 0 && OpenKeys == 0 && _readBackFor is null;

    public void Begin(bool isTracking)
    {
        Debug.Assert(IsClean, "The last write has dropped all that belonged to its graph.");
        Begin();
        IsTracking = isTracking;
        Depth = 0;
        Flags = PayloadFlags.None;
    }

    /// <summary>Drops all references to the graph.</summary>
    /// <returns>Null, or why the payload must be read back: the message if that fails.</returns>
    public string? Finish() => IsTracking || Flags != PayloadFlags.None || _readBackFor is not null ? FinishTracked() : null;

    /// <summary>Has the codec read the payload back before the write succeeds, because only reading shows whether it is readable.</summary>
    /// <param name="reason">The message if it can't be read, as sentences.</param>
    public void ReadBack(string reason) => _readBackFor ??= reason;

    /// <summary>Checks the state between two payloads, for tests.</summary>
    internal void CheckInvariants()
    {
        Invariant.True("WriteContext", 0, "whether it is clean", IsClean);
        Invariant.True("WriteContext", 0, "whether no path is sought", Path is null);
        References.CheckInvariants();
        Deferred.CheckInvariants();
    }

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
        Debug.Assert(IsTracking, "Objects are numbered only with tracking.");
        Debug.Assert(number >= 0 && number < References.Count, "A back reference leads to an object that was written before.");
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

    /// <summary>Writes a forward reference, and queues the object to be written after the root.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public byte* Defer(byte* p, object value, TypeModel model)
    {
        if (IsPlain)
            throw new RefusedException(model.Type, PlainForm.WhyNot($"objects nested deeper than {DepthLimit}"));
        Debug.Assert(OpenKeys == 0, "A key is whole when a reader hashes it.");
        Debug.Assert(model.CanDefer, "The object can be made before its content is read.");
        Flags |= PayloadFlags.HasDeferred;
        Deferred.Enqueue((value, model));
        ReadOnlySpan<int> lengths = model.CreationLengths(value);
        p = Encode.ExtensionHeader(Reserve(p, 0), ExtensionCode.ForwardReference, sizeof(int) * (1 + lengths.Length));
        *(int*)p = model.TypeId;
        lengths.CopyTo(new Span<int>(p + sizeof(int), lengths.Length));
        return p + sizeof(int) * (1 + lengths.Length);
    }
}
