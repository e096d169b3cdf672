using System;
using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Payloads;

/// <content>Reading.</content>
internal sealed unsafe partial class MessagePackPileCodec
{
    private const PayloadFlags KnownFlags = PayloadFlags.HasBackReferences | PayloadFlags.HasDeferred;

    /// <inheritdoc/>
    public object Deserialize(PileBuffer source)
    {
        ReadContext c = source.ReaderOwner == this ? Unsafe.As<ReadContext>(source.Reader!) : NewReader(source);
        try
        {
            object root = ReadRoot(source, c);
            GC.KeepAlive(source); // the reader has a raw pointer into its memory, which the collector does not see
            return root;
        }
        catch (Exception e)
        {
            c.Reset();
            if (e is PileException or OutOfMemoryException)
                throw;
            throw new PileSerializationException($"The payload could not be read: {e.Message}", e);
        }
    }

    /// <summary>Reads back a payload that was just written.</summary>
    /// <exception cref="PileSerializationException">It can't be read.</exception>
    private void CheckReadable(PileBuffer written, string reason)
    {
        var copy = new PileBuffer();
        copy.Write(written.WrittenSpan);
        try
        {
            Deserialize(copy);
        }
        catch (PileException e)
        {
            throw new PileSerializationException($"{reason} {e.Message}", e);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ReadContext NewReader(PileBuffer source)
    {
        var c = (ReadContext?)source.Reader ?? new ReadContext();
        source.Reader = c;
        source.ReaderOwner = this;
        c.Readers = _readers;
        return c;
    }

    private object ReadRoot(PileBuffer source, ReadContext c)
    {
        int lengthBytes = source.LengthBytes;
        if (lengthBytes <= PrefixBytes)
            BadData.Truncated();
        byte* p = source.Start;
        byte* end = p + lengthBytes;
        uint prefix = *(uint*)p;
        Debug.Assert(c.IsClean, "The last read has dropped all that belonged to its graph.");
        Debug.Assert(c.Readers == _readers, "The buffer's reader has the tables of the codec that uses it.");
        c.Begin(end, lengthBytes);
        object? root = null;
        p = prefix <= TypeIdMask
            ? _readers.Reader((int)prefix).ReadExact(ref root, p + PrefixBytes, c)
            : ReadFlagged(ref root, prefix, p + PrefixBytes, c);
        if (p != end)
            BadData.Invalid("its value ends before the payload does");
        Debug.Assert(c.Depth == 0, "Each object that was entered has been left.");
        c.Complete();
        Debug.Assert(c.IsClean, "The next read finds nothing of this graph.");
        return root!;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* ReadFlagged(ref object? root, uint prefix, byte* p, ReadContext c)
    {
        var flags = (PayloadFlags)(prefix >> TypeIdBits);
        // A newer version may have added flags.
        if ((flags & ~KnownFlags) != 0)
            BadData.Invalid("its prefix has flags that this version does not know");
        if ((flags & PayloadFlags.HasBackReferences) != 0)
            c.BeginTracking();
        TypeModel model = _readers.Reader((int)(prefix & TypeIdMask));
        return (flags & PayloadFlags.HasDeferred) == 0 ? model.ReadExact(ref root, p, c) : ReadDeferred(ref root, model, p, c);
    }

    private static byte* ReadDeferred(ref object? root, TypeModel model, byte* p, ReadContext c)
    {
        p = c.ArrayHeader(p, out int count);
        p = model.ReadExact(ref root, p, c);
        while (c.Deferred.TryDequeue(out (object Value, TypeModel Model, bool IsDiscarded) item))
        {
            if (p > c.End)
                BadData.Truncated();
            c.Depth = 0;
            c.IsDiscarding = item.IsDiscarded;
            p = item.Model.FillDeferred(item.Value, p, c);
            Debug.Assert(c.Depth == 0, "Each object that was entered has been left.");
            Debug.Assert(c.IsDiscarding == item.IsDiscarded, "Each member that was discarded has ended.");
        }
        if (count != c.Deferred.Added + 1)
            BadData.Invalid("objects are missing or too many");
        return p;
    }
}
