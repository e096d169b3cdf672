using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Graph;

/// <summary>What is needed while a graph is read. The position itself is passed and returned by value.</summary>
internal sealed class ReadContext : PayloadReader
{
    private const int KeptObjectsMost = 4096;

    private readonly List<Action> _completions = [];
    private readonly List<object> _finalizable = [];
    private Numbered[] _objects = [];
    private int _objectCount;
    private bool _isUsed;

    /// <summary>The models of the codec that reads from the buffer now.</summary>
    public ReaderTable Readers { get; set; } = null!;

    /// <summary>Objects are numbered, because back references occur.</summary>
    public bool IsTracking;

    public int Depth;

    /// <summary>What is being read belongs to a member that is gone: types in it may be gone as well.</summary>
    public bool IsDiscarding;

    public WorkQueue<(object Value, TypeModel Model, bool IsDiscarded)> Deferred { get; } = new();

    /// <summary>Objects are to be numbered.</summary>
    public void BeginTracking() => IsTracking = _isUsed = true;

    /// <summary>Keeps an object whose content comes later.</summary>
    public void Defer(object value, TypeModel model)
    {
        Deferred.Enqueue((value, model, IsDiscarding));
        _isUsed = true;
    }

    /// <summary>Numbers an object. It must be called for each tracked object when its reading starts, as the writer did.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Register(object? value)
    {
        if (IsTracking)
            Add(value);
    }

    /// <summary>Reserves a number for an object that can only be made when its content is known.</summary>
    public int RegisterLater()
    {
        Register(null);
        return _objectCount - 1;
    }

    public void SetRegistered(int number, object value)
    {
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

    /// <summary>Puts off what calls code of the application until the whole graph is filled.</summary>
    public void Complete(Action completion)
    {
        _completions.Add(completion);
        _isUsed = true;
    }

    /// <summary>Turns the finalizer of a half-filled object on again, but only when the whole graph has been read.</summary>
    public void FinalizeLater(object value)
    {
        _finalizable.Add(value);
        _isUsed = true;
    }

    /// <summary>
    /// The whole graph is there: runs what was put off, the innermost container first, turns finalizers on again, and lets go of it.
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

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CompleteAll()
    {
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
        if (_objectCount == _objects.Length)
            Array.Resize(ref _objects, Math.Max(64, _objectCount * 2));
        _objects[_objectCount++].Value = value;
    }

    // A structure, since storing into an array of references would check the element's type.
    private struct Numbered
    {
        public object? Value;
    }
}
