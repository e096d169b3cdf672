using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Text;
using System.Threading;
using BigPile.Codec.Payloads;
using BigPile.Codec.Wire;

namespace BigPile.Catalog;

/// <summary>Encodes object graphs so that another process can read them: the schemas go with the payload.</summary>
/// <remarks>
/// Format: the number of schemas (2 bytes), each schema behind its length (4 bytes), and the payload. A payload does not say which schemas
/// it uses, so all that this codec has written so far are included: use one codec for each root type.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class PortableCodec : IPileCodec
{
    private const int CountBytes = sizeof(ushort);
    private const int LengthBytes = sizeof(int);
    private const int MaxOthers = 32;

    private readonly PileCodecOptions _options;
    private readonly MemoryCatalog _catalog = new(outlivesProcess: true);
    private readonly MessagePackPileCodec _codec;
    private readonly ConcurrentDictionary<string, MessagePackPileCodec> _others = new(StringComparer.Ordinal);
    private PileBuffer? _spare; // taken and given back by interlocked operations

    /// <param name="options">What it may read and write.</param>
    internal PortableCodec(PileCodecOptions options)
    {
        _options = options;
        _codec = new MessagePackPileCodec(_catalog, options);
    }

    /// <summary>Appends an object with its schemas.</summary>
    public void Serialize(object value, PileBuffer destination)
    {
        PileBuffer scratch = Rent();
        try
        {
            _codec.Serialize(value, scratch);
            WriteSchemas(destination);
            destination.Write(scratch.WrittenSpan);
        }
        finally
        {
            Return(scratch);
        }
    }

    /// <summary>Reads what a codec of this kind has written in any process.</summary>
    public object Deserialize(PileBuffer source)
    {
        ReadOnlySpan<byte> payload = source.WrittenSpan;
        int schemaBytes = MeasureSchemas(payload);
        MessagePackPileCodec codec = CodecOf(payload[..schemaBytes]);
        PileBuffer scratch = Rent();
        try
        {
            scratch.Write(payload[schemaBytes..]);
            return codec.Deserialize(scratch);
        }
        finally
        {
            Return(scratch);
        }
    }

    private PileBuffer Rent() => Interlocked.Exchange(ref _spare, null) ?? new PileBuffer();

    private void Return(PileBuffer buffer)
    {
        buffer.Clear();
        Volatile.Write(ref _spare, buffer);
    }

    private void WriteSchemas(PileBuffer target)
    {
        int count = _catalog.Count(CatalogKind.Schema);
        if (count > ushort.MaxValue)
            throw new PileSerializationException($"A value can't go with more than {ushort.MaxValue:N0} schemas.");
        BinaryPrimitives.WriteUInt16LittleEndian(target.GetSpan(CountBytes), (ushort)count);
        target.Advance(CountBytes);
        for (int id = 1; id <= count; id++)
        {
            _catalog.TryGet(id, out ReadOnlyMemory<byte> definition);
            BinaryPrimitives.WriteInt32LittleEndian(target.GetSpan(LengthBytes), definition.Length);
            target.Advance(LengthBytes);
            target.Write(definition.Span);
        }
    }

    private static int MeasureSchemas(ReadOnlySpan<byte> source)
    {
        int at = CountBytes;
        if (source.Length < at)
            BadData.Truncated();
        for (int left = BinaryPrimitives.ReadUInt16LittleEndian(source); left > 0; left--)
            at += LengthBytes + LengthAt(source, at);
        return at;
    }

    private static int LengthAt(ReadOnlySpan<byte> source, int at)
    {
        if (source.Length - at < LengthBytes)
            BadData.Truncated();
        int lengthBytes = BinaryPrimitives.ReadInt32LittleEndian(source[at..]);
        if (lengthBytes < 0 || lengthBytes > source.Length - at - LengthBytes)
            BadData.Truncated();
        return lengthBytes;
    }

    // Instances of one application mostly meet their types in the same order, and then their schemas equal this codec's.
    private MessagePackPileCodec CodecOf(ReadOnlySpan<byte> schemas)
    {
        if (IsOwn(schemas))
            return _codec;
        string name = Encoding.Latin1.GetString(schemas);
        if (_others.TryGetValue(name, out MessagePackPileCodec? known))
            return known;
        if (_others.Count >= MaxOthers)
            _others.Clear();
        return _others[name] = MakeOther(schemas);
    }

    private bool IsOwn(ReadOnlySpan<byte> schemas)
    {
        int at = CountBytes;
        for (int id = 1; at < schemas.Length; id++)
        {
            ReadOnlySpan<byte> schema = schemas.Slice(at + LengthBytes, LengthAt(schemas, at));
            if (!_catalog.TryGet(id, out ReadOnlyMemory<byte> own) || !schema.SequenceEqual(own.Span))
                return false;
            at += LengthBytes + schema.Length;
        }
        return true;
    }

    private MessagePackPileCodec MakeOther(ReadOnlySpan<byte> schemas)
    {
        var catalog = new MemoryCatalog(outlivesProcess: true);
        for (int at = CountBytes; at < schemas.Length;)
        {
            ReadOnlySpan<byte> schema = schemas.Slice(at + LengthBytes, LengthAt(schemas, at));
            catalog.GetOrAdd(schema);
            at += LengthBytes + schema.Length;
        }
        return new MessagePackPileCodec(catalog, _options);
    }
}
