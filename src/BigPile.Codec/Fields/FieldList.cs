using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Fields;

internal unsafe delegate byte* FieldsWriter(ref byte data, byte* p, WriteContext c);

internal unsafe delegate byte* FieldsReader(ref byte data, byte* p, ReadContext c);

/// <summary>The fields of one class or structure, in the order in which they are written.</summary>
/// <remarks>
/// A new list is interpreted. After <see cref="HotUses"/> uses the thread pool generates a writer and a reader for it, so that no caller
/// waits for the compiler. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed unsafe class FieldList : IDefined
{
    /// <summary>Uses after which generated code pays.</summary>
    private const int HotUses = 64;

    private readonly FieldPlan[] _plans;
    private readonly CodeGeneration _generation;

    // The generated methods; null until they are made. Written once, by Generate; the reader first.
    private FieldsWriter? _writer;
    private FieldsReader? _reader;

    // Interpreted uses so far.
    private int _uses;

    public FieldList(Type type, FieldPlan[] plans, CodeGeneration generation)
    {
        Type = type;
        _plans = plans;
        IsLeaf = Array.TrueForAll(plans, plan => plan.Codec.IsLeaf);
        Debug.Assert(Array.TrueForAll(plans, plan => plan.Codec.LeastBytes > 0), "Each field takes a byte at least: budgets rest on it.");
        foreach (FieldPlan plan in plans)
            LeastBytes = (int)Math.Min((long)LeastBytes + plan.Codec.LeastBytes, PileBuffer.MaxLengthBytes); // a damaged schema may nest
        _generation = generation;
    }

    public Type Type { get; }

    public int Count => _plans.Length;

    public bool IsLeaf { get; }

    public int LeastBytes { get; }

    /// <summary>Whether generated code is in use.</summary>
    public bool IsGenerated
    {
        get
        {
            Debug.Assert(Volatile.Read(ref _writer) is null || _reader is not null, "The reader is set before the writer.");
            return Volatile.Read(ref _writer) is not null;
        }
    }

    public byte* Write(ref byte data, int typeId, byte* p, WriteContext c)
    {
        if (p > c.End)
            p = c.Grow(p, 0);
        p = Encode.ArrayHeader(p, _plans.Length, typeId);
        return WriteFields(ref data, p, c);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* WriteFields(ref byte data, byte* p, WriteContext c)
    {
        FieldsWriter? writer = _writer;
        return writer is not null && c.Path is null ? writer(ref data, p, c) : Interpret(ref data, p, c);
    }

    public byte* Read(ref byte data, int count, byte* p, ReadContext c)
    {
        if (count != _plans.Length)
            BadData.WrongCount(Type, count);
        return ReadFields(ref data, p, c);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* ReadFields(ref byte data, byte* p, ReadContext c)
    {
        FieldsReader? reader = _reader;
        p = reader is not null ? reader(ref data, p, c) : InterpretRead(ref data, p, c);
        Debug.Assert(c.IsReadable(p), "The fields since the last check fit into the slack.");
        if (p > c.End)
            BadData.Truncated();
        return p;
    }

    public void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, Type.IsValueType ? SchemaForm.Structure : SchemaForm.Fields, _plans.Length);
        DefineMembers(definition);
    }

    /// <summary>Appends only the members, to an entry that has begun.</summary>
    public void DefineMembers(DefinitionWriter definition)
    {
        foreach (FieldPlan plan in _plans)
        {
            definition.Text(plan.Name);
            plan.Codec.Describe(definition);
        }
    }

    public void Analyze(SharingAnalysis analysis)
    {
        foreach (FieldPlan plan in _plans)
            plan.Codec.Analyze(analysis);
    }

    private byte* Interpret(ref byte data, byte* p, WriteContext c)
    {
        if (c.Path is not null)
            return FieldInterpreter.WriteLocated(_plans, ref data, p, c);
        CountUse();
        return _writer is { } writer ? writer(ref data, p, c) : FieldInterpreter.Write(_plans, ref data, p, c);
    }

    private byte* InterpretRead(ref byte data, byte* p, ReadContext c)
    {
        CountUse();
        return _reader is { } reader ? reader(ref data, p, c) : FieldInterpreter.Read(_plans, ref data, p, c);
    }

    private void CountUse()
    {
        if (_generation == CodeGeneration.AtOnce)
            Generate();
        else if (_generation == CodeGeneration.WhenHot && Interlocked.Increment(ref _uses) == HotUses)
            ThreadPool.UnsafeQueueUserWorkItem(static list => list.GenerateQuietly(), this, preferLocal: false);
    }

    // An exception on a thread of the pool would end the process. Without generated code the interpreter goes on, only slower.
    [SuppressMessage("Design", "CA1031", Justification = "An exception on a thread of the pool ends the process.")]
    private void GenerateQuietly()
    {
        try
        {
            Generate();
        }
        catch (Exception)
        {
            // The interpreter goes on.
        }
    }

    private void Generate()
    {
        try
        {
            FieldsReader reader = FieldCompiler.Reader(_plans);
            FieldsWriter writer = FieldCompiler.Writer(_plans);
            // The writer last: IsGenerated then means that both are set.
            Volatile.Write(ref _reader, reader);
            Volatile.Write(ref _writer, writer);
        }
        catch (NotSupportedException)
        {
            // The platform claimed to support generated code and does not: the interpreter goes on.
        }
    }
}
