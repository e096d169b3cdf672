using System;
using System.Buffers;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Tests.Failures;

/// <summary>A mapped pile whose files may fail, and what it must hold whatever they do.</summary>
internal sealed class FailureRun : IDisposable
{
    internal const int SegmentBytes = 4 << 20;

    private const int MaxCopies = 100;

    private static readonly string[] StateNames = ["superblock", "log-0", "log-1"];
    // Each run puts the same ones.
    private static readonly ConcurrentDictionary<(int Number, int LengthBytes), byte[]> Values = new();
    private static readonly Guid OtherBoot = new("00000000-0000-0000-0000-000000000077");

    private readonly ScratchDirectory _scratch = new();
    private readonly Dictionary<PilePointer, byte[]> _live = [];
    private readonly List<PilePointer> _dead = [];
    private readonly byte[] _buffer = ArrayPool<byte>.Shared.Rent(2 * SegmentBytes);
    private int _values;

    internal FailingFiles Files { get; } = new();

    internal string PilePath => _scratch.At("pile");

    internal Pile Pile { get; private set; } = null!;

    /// <summary>The start of the machine that the pile is opened by; the real one as long as nobody says otherwise.</summary>
    internal Guid? Boot { get; set; }

    internal int Lost { get; private set; }

    internal int Wrong { get; private set; }

    internal PilePointer Some => _live.Keys.First();

    public void Dispose()
    {
        Files.Disarm();
        Pile?.Dispose();
        ArrayPool<byte>.Shared.Return(_buffer);
        _scratch.Dispose();
    }

    /// <summary>Opens the pile, if it is not open.</summary>
    internal void Open()
    {
        if (Pile is { IsDisposed: false })
            return;
        Pile =
            Pile.Open(PilePath, new PileOptions { SegmentBytes = SegmentBytes, FlushLogBytes = 1 << 20, BootId = Boot, FileHook = Files });
    }

    internal void Close() => Pile.Dispose();

    internal void Put(int lengthBytes, int count = 1)
    {
        for (int i = 0; i < count; i++)
        {
            byte[] value = Value(lengthBytes);
            _live.Add(Pile.Put(value), value);
        }
    }

    internal void Replace(PilePointer pointer, int lengthBytes)
    {
        byte[] value = Value(lengthBytes);
        Pile.Replace(pointer, value);
        _live[pointer] = value;
    }

    internal void Delete(PilePointer pointer)
    {
        try
        {
            Pile.Delete(pointer);
        }
        finally
        {
            if (!Pile.Contains(pointer)) // a deletion that throws must not have deleted
                Forget(pointer);
        }
    }

    internal void DeleteAllBut(int count)
    {
        foreach (PilePointer pointer in _live.Keys.Skip(count).ToArray())
            Delete(pointer);
    }

    /// <summary>Makes the directory one that a kill left.</summary>
    internal void Kill()
    {
        string killed = _scratch.At("killed");
        Copy(killed);
        Pile.Dispose();
        Directory.Delete(PilePath, recursive: true);
        Directory.Move(killed, PilePath);
    }

    /// <summary>Compares the pile with what it must hold.</summary>
    internal void Check() => Check(Pile);

    /// <summary>Compares what a kill at this instant leaves.</summary>
    internal void CheckKilled() => CheckCopy(Boot);

    /// <summary>Compares what is made of the files when nobody knows whether the power was cut; all of them reached the device.</summary>
    internal void CheckReplayed() => CheckCopy(OtherBoot);

    internal void UseOn()
    {
        Put(100, 5);
        Put(70_000, 3);
        foreach (PilePointer pointer in _live.Keys.TakeLast(4).ToArray())
            Replace(pointer, 90);
        Delete(_live.Keys.Last());
    }

    // A flush in the background may give segments back meanwhile: a copy counts in which the superblock and the logs are of one time.
    private void Copy(string to)
    {
        for (int attempt = 1; ; attempt++)
        {
            byte[][] before = States();
            try
            {
                KilledPile.Copy(PilePath, to);
            }
            catch (FileNotFoundException) when (attempt < MaxCopies)
            {
                before = [];
            }
            byte[][] after = States();
            if (before.Length == after.Length && before.Zip(after).All(static pair => pair.First.AsSpan().SequenceEqual(pair.Second)))
                return;
            Assert.True(attempt < MaxCopies, "the files never stood still");
            Directory.Delete(to, recursive: true);
        }
    }

    private byte[][] States() =>
        [.. StateNames.Select(name => Path.Combine(PilePath, name)).Where(File.Exists).Select(PileFiles.ReadShared)];

    private void CheckCopy(Guid? boot)
    {
        string copy = _scratch.At("copy");
        Copy(copy);
        using (Pile opened = Pile.Open(copy, new PileOptions { SegmentBytes = SegmentBytes, FlushLogBytes = 1 << 20, BootId = boot }))
            Check(opened);
        Directory.Delete(copy, recursive: true);
    }

    private void Check(Pile pile)
    {
        pile.Recovery.Completion.Wait();
        foreach ((PilePointer pointer, byte[] value) in _live)
        {
            if (!pile.TryRead(pointer, _buffer, out int lengthBytes))
                Lost++;
            else if (!_buffer.AsSpan(0, lengthBytes).SequenceEqual(value))
                Wrong++;
        }
        Wrong += _dead.Count(pile.Contains);
        PileStatistics s = pile.Statistics;
        Assert.Equal((0, 0), (Lost, Wrong));
        Assert.Equal(0, pile.Recovery.LostBytes);
        Assert.All(pile.Recovery.Faults, IsTornSuperblock);
        Assert.Equal(_live.Count, s.ObjectCount);
        PileFigures.AssertAddUp(s);
        PileVerification verification = pile.Verify();
        Assert.All(verification.Faults, IsTornSuperblock);
    }

    // What a write leaves that fails in its middle. The other copy is used, and that is said.
    private static void IsTornSuperblock(PileFault fault) => Assert.EndsWith("superblock", fault.Place, StringComparison.Ordinal);

    private void Forget(PilePointer pointer)
    {
        _live.Remove(pointer);
        _dead.Add(pointer);
    }

    private byte[] Value(int lengthBytes) =>
        Values.GetOrAdd((++_values, lengthBytes), static value => Noise.Of(value.LengthBytes, value.Number));
}
