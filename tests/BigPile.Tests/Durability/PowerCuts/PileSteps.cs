using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests.Durability.PowerCuts;

/// <summary>Random changes of a pile, and of its model with it.</summary>
internal sealed class PileSteps(CrashModel model, PileOperations operations, Random random, Action<string> log)
{
    private const int MaxLive = 600;
    private const long MaxLiveBytes = 9 << 20;
    private const int MaxLeases = 8;

    private readonly List<(PileLease Lease, byte[] Bytes)> _leases = [];

    internal void Burst(Pile pile)
    {
        int steps = 1 + random.Next(random.Next(6) == 0 ? 150 : 25);
        if (operations.HasFlag(PileOperations.DeleteMany) && random.Next(8) == 0)
            DeleteMany(pile);
        for (int i = 0; i < steps; i++)
            Step(pile);
        if (operations.HasFlag(PileOperations.Compact) && random.Next(4) == 0)
            Compact(pile);
        if (operations.HasFlag(PileOperations.Trim) && random.Next(4) == 0)
            Trim(pile);
        if (operations.HasFlag(PileOperations.Walk) && random.Next(4) == 0)
            Assert.Equal(model.Now.Keys.ToHashSet(), pile.Select(static entry => entry.Pointer).ToHashSet());
    }

    /// <summary>One change of one object.</summary>
    internal void Step(Pile pile)
    {
        bool isFull = model.Count >= MaxLive || model.LiveBytes >= MaxLiveBytes;
        int dice = random.Next(100);
        if (model.Count == 0 || (dice < 35 && !isFull))
            Put(pile);
        else if (dice < 50)
            Delete(pile, random.Next(model.Count));
        else if (dice < 62 && operations.HasFlag(PileOperations.Replace))
            Replace(pile, isSameSize: true);
        else if (dice < 80 && operations.HasFlag(PileOperations.Resize))
            Replace(pile, isSameSize: false);
        else if (dice < 92 && operations.HasFlag(PileOperations.Write))
            Write(pile);
        else if (dice < 96 && operations.HasFlag(PileOperations.Lease))
            Lease(pile);
        else if (isFull)
            Delete(pile, random.Next(model.Count));
        else
            Put(pile);
    }

    /// <summary>Ends all leases, and looks whether what they showed is what was leased.</summary>
    internal void EndLeases()
    {
        while (_leases.Count != 0)
            EndLease(_leases.Count - 1);
    }

    private void Put(Pile pile)
    {
        object value = CrashValue.New(random);
        log("put");
        bool isRoomy = operations.HasFlag(PileOperations.Resize) && random.Next(8) == 0;
        model.Put(isRoomy ? pile.PutWithCapacity(value, capacityBytes: random.Next(2_000)) : pile.Put(value), value);
    }

    private void Delete(Pile pile, int index)
    {
        PilePointer pointer = model.At(index);
        log($"delete {pointer}");
        model.Delete(index);
        pile.Delete(pointer);
    }

    private void DeleteMany(Pile pile)
    {
        int share = random.Next(50, 101);
        for (int i = model.Count - 1; i >= 0; i--)
        {
            if (random.Next(100) < share)
                Delete(pile, i);
        }
    }

    private void Replace(Pile pile, bool isSameSize)
    {
        PilePointer pointer = model.At(random.Next(model.Count));
        int size = CrashValue.SizeOf(model.Now[pointer]);
        object value = isSameSize ? CrashValue.NewBytes(random, size) : random.Next(3) switch
        {
            0 => CrashValue.New(random, random.Next(size + 1)),
            1 => CrashValue.New(random, Math.Min(400_000, size * 2 + random.Next(64))),
            _ => CrashValue.New(random),
        };
        log($"replace {pointer} of {size} by {CrashValue.SizeOf(value)}");
        model.Put(pointer, value);
        pile.Replace(pointer, value);
    }

    private void Write(Pile pile)
    {
        const int MaxPart = 60_000; // what is whole or absent after a kill
        PilePointer pointer = model.At(random.Next(model.Count));
        if (model.Now[pointer] is not byte[] { Length: > 0 } old)
        {
            int length = random.Next(random.Next(10) == 0 ? 100_000 : 2_000);
            log($"allocate {length}");
            model.Put(pile.Allocate(length), new byte[length]);
            return;
        }
        byte[] value = [.. old];
        int offset = random.Next(value.Length);
        Span<byte> part = value.AsSpan(offset, Math.Min(MaxPart, random.Next(1, value.Length - offset + 1)));
        Noise.Fill(part, random.NextInt64());
        log($"write {part.Length} into {pointer} of {value.Length}");
        model.Put(pointer, value);
        pile.Write(pointer, part, offset);
    }

    private void Lease(Pile pile)
    {
        if (_leases.Count == MaxLeases || (_leases.Count != 0 && random.Next(2) == 0))
        {
            EndLease(random.Next(_leases.Count));
            return;
        }
        PilePointer pointer = model.At(random.Next(model.Count));
        log($"lease {pointer}");
        PileLease lease = pile.Lease(pointer);
        _leases.Add((lease, lease.Span.ToArray()));
    }

    private void EndLease(int index)
    {
        log("end a lease");
        (PileLease lease, byte[] bytes) = _leases[index];
        Assert.True(lease.Span.SequenceEqual(bytes), "what was leased has changed");
        lease.Dispose();
        _leases.RemoveAt(index);
    }

    private void Compact(Pile pile)
    {
        log("compact");
        pile.Compact();
    }

    private void Trim(Pile pile)
    {
        log("trim");
        pile.Trim();
    }
}
