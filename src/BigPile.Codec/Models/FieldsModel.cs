using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Fields;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Models;

/// <summary>Objects of the application's classes, and its boxed structures: an array of the fields' values.</summary>
internal sealed unsafe class FieldsModel : TypeModel
{
    private const int ShortHeaderCounts = 16;

    private readonly FieldList _fields;
    private readonly bool _hasFinalizer;
    private readonly Callbacks? _callbacks;

    // Runs the constructor on a new object whose stored schema is older; null: none.
    private readonly Action<object>? _initialize;

    // Whether a new object needs more than its fields: one test on the fast path.
    private readonly bool _needsSetup;

    /// <param name="type">The type.</param>
    /// <param name="fields">Its fields.</param>
    /// <param name="models">The models of the codec.</param>
    /// <param name="initialize">Runs on each new object, if the type has members that were not stored.</param>
    public FieldsModel(Type type, FieldList fields, ModelCache models, Action<object>? initialize = null) : base(type, models)
    {
        _initialize = initialize;
        _fields = fields;
        Count = fields.Count;
        Header = fields.Count < ShortHeaderCounts ? (byte)(Code.FixArray | fields.Count) : Code.Nil;
        _hasFinalizer = Finalizers.AreOn(type);
        _callbacks = Callbacks.Of(type);
        _needsSetup = _hasFinalizer || _callbacks is not null || initialize is not null;
    }

    /// <summary>The header of content without a type id, if it is one byte; else nil, with which no object starts.</summary>
    public byte Header { get; }

    public int Count { get; }

    /// <summary>Whether generated code is in use. Tests wait for it.</summary>
    internal bool IsGenerated => _fields.IsGenerated;

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        Debug.Assert(IsModelOf(value), "Fields are found by their offsets in exactly this type.");
        _callbacks?.BeforeWrite(value);
        if (p > c.End)
            p = c.Grow(p, 0);
        if (typeId == 0 && Header != Code.Nil)
            *p++ = Header;
        else
            p = Encode.ArrayHeader(p, Count, typeId);
        return _fields.WriteFields(ref RawObject.Data(value), p, c);
    }

    public override byte* ReadContent(ref object? target, int count, byte* p, ReadContext c)
    {
        if (count != Count)
            BadData.WrongCount(Type, count);
        return ReadObject(ref target, p, c);
    }

    public override byte* ReadExact(ref object? target, byte* p, ReadContext c) =>
        *p == Header ? ReadObject(ref target, p + 1, c) : base.ReadExact(ref target, p, c);

    /// <summary>Reads an object whose header was checked.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* ReadObject(ref object? target, byte* p, ReadContext c)
    {
        Debug.Assert(c.IsReadable(p), "What is read between two checks of the position fits into the slack.");
        object value = Create(c);
        target = value;
        c.Register(value);
        return Fill(value, p, c);
    }

    public override object CreateDeferred(ReadOnlySpan<int> lengths, ReadContext c)
    {
        if (lengths.Length != 0)
            BadData.BadReference();
        return Create(c);
    }

    public override byte* FillDeferred(object value, byte* p, ReadContext c)
    {
        Debug.Assert(IsModelOf(value), "An object is filled by the model that made it.");
        p = c.ArrayHeader(p, out int count);
        if (count != Count)
            BadData.WrongCount(Type, count);
        return Fill(value, p, c);
    }

    public override void Define(DefinitionWriter definition) => _fields.Define(definition);

    public override void Analyze(SharingAnalysis analysis) => _fields.Analyze(analysis);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private object Create(ReadContext c)
    {
        object value = RuntimeHelpers.GetUninitializedObject(Type);
        if (_needsSetup)
            SetUp(value, c);
        return value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void SetUp(object value, ReadContext c)
    {
        // If the payload turns out to be bad, the object stays half filled: then it must never be finalized, nor get its callback.
        if (_hasFinalizer)
        {
            GC.SuppressFinalize(value);
            c.FinalizeLater(value);
        }
        _initialize?.Invoke(value);
        if (_callbacks is { } callbacks)
            c.Complete(() => callbacks.AfterRead(value));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* Fill(object value, byte* p, ReadContext c)
    {
        if (++c.Depth > WriteContext.DepthLimit)
            c.EnterDeep();
        p = _fields.ReadFields(ref RawObject.Data(value), p, c);
        Debug.Assert(c.Depth > 0, "An object inside leaves as often as it enters.");
        c.Depth--;
        return p;
    }
}
