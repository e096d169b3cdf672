using System;
using System.Numerics;
using System.Threading;
using FASTER.core;
using Session = FASTER.core.ClientSession<
    FASTER.core.SpanByte, FASTER.core.SpanByte, FASTER.core.SpanByte, FASTER.core.SpanByteAndMemory, FASTER.core.Empty,
    FASTER.core.SpanByteFunctions<FASTER.core.Empty>>;

namespace BigPile.Perf.Stores;

/// <summary>A store of FASTER whose log is in memory and large enough for all.</summary>
internal sealed class FasterStore<TKey> : IStore<TKey>
{
    private const int HeadBytes = 80; // of a record: its word, two lengths, the key, and what rounding takes
    private const int IndexBytesOfKey = 16;
    private const int LeastLogBytes = 1 << 26;

    private readonly IDevice _device = new NullDevice();
    private readonly FasterKV<SpanByte, SpanByte> _store;
    private readonly ThreadLocal<Session> _sessions;
    private readonly KeyBytes _bytesOf;

    internal FasterStore(int count, int valueBytes, KeyBytes bytesOf)
    {
        _bytesOf = bytesOf;
        long logBytes = Math.Max(LeastLogBytes, 2L * count * (HeadBytes + valueBytes));
        _store = new FasterKV<SpanByte, SpanByte>(new FasterKVSettings<SpanByte, SpanByte>(baseDir: null)
        {
            LogDevice = _device,
            IndexSize = (long)BitOperations.RoundUpToPowerOf2((ulong)Math.Max(1024, (long)count * IndexBytesOfKey)),
            MemorySize = (long)BitOperations.RoundUpToPowerOf2((ulong)logBytes),
        });
        _sessions = new ThreadLocal<Session>(
            () => _store.For(new SpanByteFunctions<Empty>()).NewSession<SpanByteFunctions<Empty>>(), trackAllValues: true);
    }

    /// <summary>The bytes of a key.</summary>
    internal delegate ReadOnlySpan<byte> KeyBytes(in TKey key);

    public string Name => "FASTER";

    public unsafe void Put(TKey key, ReadOnlySpan<byte> value)
    {
        ReadOnlySpan<byte> keySpan = _bytesOf(key);
        fixed (byte* keyBytes = keySpan, bytes = value)
        {
            SpanByte storedKey = SpanByte.FromPointer(keyBytes, keySpan.Length);
            SpanByte stored = SpanByte.FromPointer(bytes, value.Length);
            _sessions.Value!.Upsert(ref storedKey, ref stored);
        }
    }

    public unsafe ReadOnlySpan<byte> Get(TKey key, Span<byte> buffer)
    {
        ReadOnlySpan<byte> keySpan = _bytesOf(key);
        fixed (byte* keyBytes = keySpan, bytes = buffer)
        {
            SpanByte storedKey = SpanByte.FromPointer(keyBytes, keySpan.Length);
            var output = new SpanByteAndMemory(SpanByte.FromPointer(bytes, buffer.Length));
            return _sessions.Value!.Read(ref storedKey, ref output).Found ? buffer : default;
        }
    }

    public void Dispose()
    {
        foreach (Session session in _sessions.Values)
            session.Dispose();
        _sessions.Dispose();
        _store.Dispose();
        _device.Dispose();
    }
}
