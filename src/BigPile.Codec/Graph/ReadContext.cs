using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Wire;
using BigPile.Memory.Checking;

namespace BigPile.Codec.Graph;

/// <summary>The state of reading one graph. The position itself is passed and returned by value.</summary>
/// <remarks>It belongs to a <see cref="PileBuffer"/>, and is reused for each payload. Thread safety: none.</remarks>
internal sealed class ReadContext : PayloadReader
{
    private const int KeptObjectsMost = 4096;

    // Actions to run when the whole graph is filled, last one first.
    private readonly List<Action> _completions = [];

    // Objects whose finalizers are suppressed until the whole graph is filled.
    private readonly List<object> _finalizable = [];

    // The tracked objects by number. Null: reserved for an object that is made after its content.
    private Numbered[] _objects = [];

    // How many entries of _objects are in use.
    private int _objectCount;

    // Whether anything must be reset after this payload.
    private bool _isUsed;

    /// <summary>The readers of the codec that reads from the buffer now.</summary>
    public ReaderTable Readers { get; set; } = null!;

    /// <summary>Whether objects are numbered, because the payload has back references.</summary>
    public bool IsTracking;

    /// <summary>How many objects enclose the one that is being read.</summary>
    public int Depth;

    /// <summary>Whether the value belongs to a member that no longer exists: types in it may not exist either.</summary>
    public bool IsDiscarding;

    /// <summary>The objects that were made from forward references and whose content comes after the root, in its order.</summary>
    public WorkQueue<(object Value, TypeModel Model, bool IsDiscarded)> Deferred { get; } = new();

    /// <summary>Whether nothing of a payload is left; for assertions.</summary>
    public bool IsClean => !_isUsed && !IsTracking && !IsDiscarding && Depth == 0 && _objectCount == 0
        && _completions.Count == 0 && _finalizable.Count == 0 && Deferred.Added == 0;

    /// <summary>Starts numbering objects.</summary>
    public void BeginTracking()
    {
        Debug.Assert(_objectCount == 0, "The first object gets number 0.");
        IsTracking = _isUsed = true;
    }

    /// <summary>Queues an object whose content comes after the root.</summary>
    public void Defer(object value, TypeModel model)
    {
        Deferred.Enqueue((value, model, IsDiscarding));
        _isUsed = true;
    }

    /// <summary>
    /// Numbers an object. Must be called for each tracked object before its content is read: that is the order in which the writer
    /// numbers them.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Register(object? value)
    {
        if (IsTracking)
            Add(value);
    }

    /// <summary>Reserves a number for an object that can be made only after its content was read.</summary>
    public int RegisterLater()
    {
        Register(null);
        return _objectCount - 1;
    }

    public void SetRegistered(int number, object value)
    {
        Debug.Assert(!IsTracking || (number >= 0 && number < _objectCount), "The number was reserved.");
        Debug.Assert(!IsTracking || _objects[number].Value is null, "A reserved number is set once.");
        if (IsTracking)
            _objects[number].Value = value;
    }

    public object Registered(uint number)
    {
        if (number >= (uint)_objectCount || _objects[number].Value is not { } value)
        {
            BadData.BadReference();
            return null!;
        }
        return value;
    }

    /// <summary>Defers an action that may call the application's code until the whole graph is filled.</summary>
    public void Complete(Action completion)
    {
        _completions.Add(completion);
        _isUsed = true;
    }

    /// <summary>Registers an object whose finalizer is suppressed; it is turned on again when the whole graph is filled.</summary>
    public void FinalizeLater(object value)
    {
        _finalizable.Add(value);
        _isUsed = true;
    }

    /// <summary>
    /// Ends a payload whose graph is filled: runs the deferred actions, those of inner containers first, turns finalizers on again, and
    /// drops all references to the graph.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Complete()
    {
        if (_isUsed)
            CompleteAll();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Reset()
    {
        IsTracking = IsDiscarding = false;
        Depth = 0;
        Deferred.Reset();
        _completions.Clear();
        _finalizable.Clear();
        _isUsed = false;
        if (_objects.Length > KeptObjectsMost)
            _objects = [];
        else
            Array.Clear(_objects, 0, _objectCount);
        _objectCount = 0;
    }

    /// <summary>Checks the state between two payloads, for tests: it refers to no graph.</summary>
    internal void CheckInvariants()
    {
        Invariant.True("ReadContext", 0, "whether it is clean", IsClean);
        Invariant.Between("ReadContext", 0, "places for objects", _objects.Length, 0, KeptObjectsMost);
        for (int i = 0; i < _objects.Length; i++)
            Invariant.True("ReadContext", i, "whether a free place is empty", _objects[i].Value is null);
        Deferred.CheckInvariants();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CompleteAll()
    {
        Debug.Assert(Depth == 0, "Each object that was entered has been left.");
        // In reverse: an outer container registers its action before its content is read, and needs its content complete.
        for (int i = _completions.Count - 1; i >= 0; i--)
            _completions[i]();
        foreach (object value in _finalizable)
            GC.ReRegisterForFinalize(value);
        Reset();
    }

    public void EnterDeep()
    {
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            BadData.TooDeep();
    }

    private void Add(object? value)
    {
        Debug.Assert(_isUsed, "The numbered objects are dropped after the payload.");
        if (_objectCount == _objects.Length)
            Array.Resize(ref _objects, Math.Max(64, _objectCount * 2));
        _objects[_objectCount++].Value = value;
    }

    // A structure, because a store into an array of references checks the element's type.
    private struct Numbered
    {
        public object? Value;
    }
}
