using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Durability;
using BigPile.Layout;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>A bit that flips in a closed pile is harmless slack, or is reported; nothing wrong is ever served.</summary>
public sealed class BitFlipTests : IDisposable
{
    private const long SegmentBytes = 4 << 20;
    private const string Segment = "segment-000000";

    private readonly ITestOutputHelper _output;
    private readonly ScratchDirectory _scratch = new();
    private readonly Dictionary<PilePointer, object> _objects = [];
    private readonly List<PilePointer> _dead = [];
    private readonly Dictionary<string, byte[]> _files;
    private PileStatistics _statistics = null!;
    private bool _isDirty = true;
    private string? _lastFile;
    private int _lastPlace;

    public BitFlipTests(ITestOutputHelper output)
    {
        _output = output;
        Fill();
        _files = Directory.GetFiles(DirectoryPath).ToDictionary(static path => Path.GetFileName(path), File.ReadAllBytes);
    }

    private string DirectoryPath => _scratch.At("pile");

    private string DamagedPath => _scratch.At("damaged");

    public void Dispose() => _scratch.Dispose();

    [Fact]
    public void Every_byte_of_the_metadata_is_slack_or_reported()
    {
        int superblockBytes = _files["superblock"].AsSpan(0, SuperblockFile.CopyBytes).LastIndexOfAnyExcept((byte)0) + 1;
        int headBytes = SegmentHead.SizeBytes + (int)(SegmentBytes / SizeClasses.PageBytes) * sizeof(ulong);
        int step = TestLeg.Steps(47, 1);
        int seed = TestLeg.Seed(7);
        _output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var tally = new Tally();
        int offset = random.Next(step);
        TryRange("superblock", 0, superblockBytes + 8, offset, step, random, tally);
        TryRange("superblock", SuperblockFile.CopyBytes, superblockBytes + 8, offset, step, random, tally);
        TryRange("catalog", 0, _files["catalog"].Length, offset, step, random, tally);
        TryRange(Segment, 0, headBytes + 8, offset, step, random, tally);
        TryRange("redo", 0, 256, offset, step, random, tally);
        Report(tally);
        Assert.True(tally.Reported > tally.Harmless);
    }

    [Fact]
    public void Seeded_places_in_a_segment_are_slack_or_reported()
    {
        int seed = TestLeg.Seed(8);
        _output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var tally = new Tally();
        int flips = TestLeg.Steps(150, 100_000);
        for (int i = 0; i < flips; i++)
            Try(Segment, random.Next((int)SegmentBytes), random, tally);
        Report(tally);
        Assert.True(tally.Reported > flips / 3);
    }

    [Fact]
    public void The_pile_without_damage_is_sound()
    {
        Restore();
        PileVerification verification = Pile.VerifyDirectory(DamagedPath);
        Assert.True(verification.IsSound, string.Join("; ", verification.Faults));
        Assert.Equal(_statistics.ObjectCount + _statistics.LinkCount, verification.BlockCount);
        Assert.Equal(_files.Keys.Order(), Directory.GetFiles(DamagedPath).Select(Path.GetFileName).Order());
    }

    private void Report(Tally tally) => _output.WriteLine(
        $"bits flipped {tally.Flips:N0}: reported {tally.Reported:N0}, harmless {tally.Harmless:N0}, refused at opening "
        + $"{tally.Refused:N0}; "
        + $"objects dropped {tally.Dropped:N0}, wrong payloads served 0; "
        + $"readers refused at opening {tally.ReadRefused:N0}, objects {tally.ReadMissing:N0}, wrong payloads served to them 0");

    private void TryRange(string file, int start, int length, int offset, int step, Random random, Tally tally)
    {
        for (int i = offset; i < length && start + i < _files[file].Length; i += step)
            Try(file, start + i, random, tally);
    }

    private void Try(string file, int place, Random random, Tally tally)
    {
        tally.Flips++;
        Restore(file);
        byte mask = (byte)(1 << random.Next(8));
        Flip(file, place, mask);
        string what = $"bit {mask:x2} of byte {place} of {file}";
        bool isReported;
        try
        {
            isReported = !Pile.VerifyDirectory(DamagedPath).IsSound;
        }
        catch (PileStorageException)
        {
            isReported = true;
        }
        tally.Reported += isReported ? 1 : 0;
        tally.Harmless += isReported ? 0 : 1;
        // Each is opened whose pile as a whole hangs on it; of the others some, to see that nothing wrong is served.
        if (tally.Flips % (isReported ? 16 : 8) == 0 || file != Segment)
        {
            OpenForReading(what, isReported, tally);
            Open(what, isReported, tally);
        }
    }

    // A reader reports nothing of itself: what is damaged it does not serve, and it leaves the files as they are.
    private void OpenForReading(string what, bool isReported, Tally tally)
    {
        try
        {
            using Pile pile = Pile.Open(DamagedPath, new PileOptions { ReadOnly = true });
            foreach ((PilePointer pointer, object value) in _objects)
                ReadOne(pile, pointer, value, what, isReported, tally);
            Assert.All(_dead, pointer => Assert.False(pile.Contains(pointer), $"{what}: {pointer} is back for a reader"));
        }
        catch (PileStorageException)
        {
            Assert.True(isReported, $"{what} was not reported, and the pile can't be read");
            tally.ReadRefused++;
        }
    }

    private static void ReadOne(Pile pile, PilePointer pointer, object value, string what, bool isReported, Tally tally)
    {
        try
        {
            bool isThere = IsThere(pile, pointer, value, what);
            Assert.True(isThere || isReported, $"{what} was not reported, and a reader does not find {pointer}");
            tally.ReadMissing += isThere ? 0 : 1;
        }
        catch (PileStorageException)
        {
            Assert.True(isReported, $"{what} was not reported, and a reader is refused {pointer}");
            tally.ReadMissing++;
        }
    }

    private void Open(string what, bool isReported, Tally tally)
    {
        Pile pile;
        try
        {
            pile = Pile.Open(DamagedPath, new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = SegmentBytes });
        }
        catch (PileStorageException)
        {
            Assert.True(isReported, $"{what} was not reported, and the pile can't be opened");
            tally.Refused++;
            return;
        }
        using (pile)
        {
            pile.Recovery.Completion.Wait();
            int dropped = 0;
            foreach ((PilePointer pointer, object value) in _objects)
                dropped += IsThere(pile, pointer, value, what) ? 0 : 1;
            Assert.All(_dead, pointer => Assert.False(pile.Contains(pointer), $"{what}: {pointer} is back"));
            Assert.True(dropped == 0 || pile.Recovery.FaultCount != 0, $"{what}: objects are gone, and nothing was said");
            if (!isReported)
                Assert.True(_statistics with { RecordBytes = 0 } == pile.Statistics with { RecordBytes = 0 },
                    $"{what} was not reported, and the statistics differ");
            tally.Dropped += dropped;
        }
        _isDirty = true;
    }

    private static bool IsThere(Pile pile, PilePointer pointer, object value, string what)
    {
        try
        {
            if (!pile.TryGet(pointer, out object? found))
                return false;
            Assert.True(IsSame(value, found), $"{what}: {pointer} came back different");
            return true;
        }
        catch (PileSchemaException)
        {
            return false; // the catalog's record of its type is gone
        }
    }

    private static bool IsSame(object expected, object actual) => expected switch
    {
        byte[] bytes => bytes.AsSpan().SequenceEqual((byte[])actual),
        List<int> list => list.SequenceEqual((List<int>)actual),
        _ => expected.Equals(actual),
    };

    private void Restore(string? file = null)
    {
        if (!_isDirty && file != null)
        {
            RestoreLast();
            return;
        }
        if (Directory.Exists(DamagedPath))
            Directory.Delete(DamagedPath, recursive: true);
        Directory.CreateDirectory(DamagedPath);
        foreach ((string name, byte[] bytes) in _files)
            File.WriteAllBytes(Path.Combine(DamagedPath, name), bytes);
        _isDirty = false;
        _lastFile = null;
    }

    private void RestoreLast()
    {
        if (_lastFile != null)
            WriteByte(_lastFile, _lastPlace, _files[_lastFile][_lastPlace]);
        _lastFile = null;
    }

    private void Flip(string file, int place, byte mask)
    {
        _lastFile = file;
        _lastPlace = place;
        WriteByte(file, place, (byte)(_files[file][place] ^ mask));
    }

    private void WriteByte(string file, int place, byte value)
    {
        using var stream = new FileStream(Path.Combine(DamagedPath, file), FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
        stream.Position = place;
        stream.WriteByte(value);
    }

    private void Fill()
    {
        var random = new Random(5);
        using Pile pile = Pile.Open(DirectoryPath, new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = SegmentBytes }); // one
        var pointers = new List<PilePointer>();
        for (int i = 0; i < 10_000; i++)
            pointers.Add(Put(pile, NewValue(random)));
        for (int i = 0; i < 1_500; i++)
        {
            PilePointer pointer = pointers[random.Next(pointers.Count)];
            if (!_objects.ContainsKey(pointer))
                continue;
            if (i % 3 == 0)
                Delete(pile, pointer);
            else
                pile.Replace(pointer, _objects[pointer] = NewValue(random));
        }
        _statistics = pile.Statistics;
        Assert.Equal(1, _statistics.SegmentCount);
        Assert.NotEqual(0, _statistics.LinkCount);
    }

    private PilePointer Put(Pile pile, object value)
    {
        PilePointer pointer = pile.Put(value);
        _objects[pointer] = value;
        return pointer;
    }

    private void Delete(Pile pile, PilePointer pointer)
    {
        pile.Delete(pointer);
        _objects.Remove(pointer);
        _dead.Add(pointer);
    }

    private static object NewValue(Random random) => random.Next(500) switch
    {
        0 => new byte[random.Next(33_000, 60_000)],
        < 200 => new string((char)('a' + random.Next(26)), random.Next(100)),
        < 300 => new List<int> { random.Next(), random.Next() },
        _ => RandomBytes(random, random.Next(300)),
    };

    private static byte[] RandomBytes(Random random, int length) => Noise.Of(length, random.NextInt64());
}
