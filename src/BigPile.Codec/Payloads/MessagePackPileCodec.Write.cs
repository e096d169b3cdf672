using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Payloads;

/// <content>Writing.</content>
internal sealed unsafe partial class MessagePackPileCodec
{
    private const int ArrayHeaderMaxBytes = 5;

    /// <inheritdoc/>
    public void Serialize(object value, PileBuffer destination)
    {
        Debug.Assert(destination.LengthBytes == 0, "A payload is all that the buffer holds: it is written from the buffer's start.");
        WriteContext c = destination.WriterOwner == this ? Unsafe.As<WriteContext>(destination.Writer!) : NewWriter(destination);
        Debug.Assert(c.IsOf(destination), "A writer never leaves its buffer, whose memory it has an address in.");
        try
        {
            WriteRoot(value, RootModel(value, c), destination, c);
            if (c.Finish() is { } reason)
                CheckReadable(destination, reason);
            Debug.Assert(c.IsClean, "The next write finds nothing of this graph.");
        }
        catch (Exception e)
        {
            destination.SetEnd(destination.Start);
            c.Reset();
            // The pile is closed, and can't take a new type; a disposed object of the application is one that can't be written.
            if (e is PileException or OutOfMemoryException or ObjectDisposedException { ObjectName: "Pile" })
                throw;
            RetryOrThrow(value, destination, c, e);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WriteContext NewWriter(PileBuffer destination)
    {
        var c = (WriteContext?)destination.Writer ?? new WriteContext(destination);
        c.LastRoot = null;
        destination.Writer = c;
        destination.WriterOwner = this;
        return c;
    }

    private TypeModel RootModel(object value, WriteContext c)
    {
        TypeModel? last = c.LastRoot;
        return last is not null && last.IsModelOf(value) ? last : FindRootModel(value.GetType(), c);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private TypeModel FindRootModel(Type type, WriteContext c)
    {
        TypeModel model = _models.ForType(type);
        c.LastRoot = type.IsCollectible || model is RefusedModel ? null : model; // a refused type may be allowed later
        c.IsPlain = model.IsPlainRoot;
        return model;
    }

    private static void WriteRoot(object value, TypeModel model, PileBuffer destination, WriteContext c)
    {
        // A new type's schema goes into the catalog here. It is refused if a later process could not find the type.
        int typeId = model.TypeId;
        Debug.Assert(typeId is > 0 and <= TypeIdMask, "The flags have the other bits of the prefix.");
        c.Begin(model.IsTrackedAsRoot);
        byte* p = model.WriteReference(value, 0, destination.Start + PrefixBytes, c);
        if (c.Flags != PayloadFlags.None)
            p = WriteDeferred(p, destination, c);
        if (p > c.End)
            p = c.Grow(p, 0);
        Debug.Assert(c.Depth == (c.Deferred.Added > 0 ? 1 : 0), "Each object that was entered has been left.");
        Debug.Assert(c.OpenKeys == 0 && c.OpenImmutables.Count == 0, "Each collection that was entered has been left.");
        Debug.Assert(c.Deferred.Added == 0 || (c.Flags & PayloadFlags.HasDeferred) != 0, "A reader expects deferred objects by the flag.");
        Debug.Assert(c.End == destination.End, "The buffer's memory is the one that was written.");
        *(int*)destination.Start = typeId | (int)c.Flags << TypeIdBits;
        destination.SetEnd(p);
    }

    // Writes the deferred objects after the root, and the header of the array of all of them before it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte* WriteDeferred(byte* p, PileBuffer destination, WriteContext c)
    {
        if ((c.Flags & PayloadFlags.HasDeferred) == 0)
            return p;
        while (c.Deferred.TryDequeue(out (object Value, TypeModel Model) item))
        {
            if (p > c.End)
                p = c.Grow(p, 0);
            c.Depth = 1;
            p = item.Model.WriteContent(item.Value, 0, p, c);
            Debug.Assert(c.Depth == 1, "Each object that was entered has been left.");
        }
        // The header's length follows from the count, which is known only now: the payload shifts up by so many bytes.
        byte* header = stackalloc byte[ArrayHeaderMaxBytes];
        int headerBytes = (int)(Encode.ArrayHeader(header, c.Deferred.Added + 1) - header);
        Debug.Assert(headerBytes <= ArrayHeaderMaxBytes, "The header lies in its memory on the stack.");
        p = c.Reserve(p, headerBytes);
        byte* start = destination.Start + PrefixBytes;
        long lengthBytes = p - start;
        Debug.Assert(p + headerBytes <= c.End, "The payload shifts within the capacity.");
        Buffer.MemoryCopy(start, start + headerBytes, lengthBytes, lengthBytes);
        new ReadOnlySpan<byte>(header, headerBytes).CopyTo(new Span<byte>(start, headerBytes));
        return p + headerBytes;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RetryOrThrow(object value, PileBuffer destination, WriteContext c, Exception error)
    {
        switch (error)
        {
            case TrackingNeededException:
                Debug.Assert(!c.IsTracking, "A write with tracking asks for no other.");
                c.LastRoot = null; // the model may be outdated, if more types have been allowed since
                _models.ForType(value.GetType()).TrackAsRoot();
                Serialize(value, destination);
                break;
            case RefusedException when c.LastRoot is { } last && last != _models.ForType(value.GetType()):
                c.LastRoot = null; // the refusal came from an outdated model: more types have been allowed since
                Serialize(value, destination);
                break;
            case RefusedException refused:
                throw new PileSerializationException(Locate(value, destination, c, refused));
            default:
                throw new PileSerializationException($"An object of type {value.GetType()} could not be written: {error.Message}", error);
        }
    }

    // Writes the graph once more, with tracking of member names, to find the path to the refused object.
    private string Locate(object value, PileBuffer destination, WriteContext c, RefusedException refused)
    {
        c.Path = [];
        try
        {
            TypeModel model = _models.ForType(value.GetType());
            c.Begin(isTracking: true);
            byte* p = model.WriteReference(value, 0, destination.Start + PrefixBytes, c);
            WriteDeferred(p, destination, c);
        }
        catch (RefusedException)
        {
            if (c.Path.Count > 0)
                return $"{value.GetType().Name}.{string.Join('.', c.Path)}: {refused.Message}";
        }
        finally
        {
            c.Path = null;
            c.Reset();
            destination.SetEnd(destination.Start);
        }
        return refused.Message;
    }
}
