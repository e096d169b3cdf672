using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Memory;

namespace BigPile.Tests.Failures;

/// <summary>The space of what is mapped is there before anything is stored, also where the file system can't reserve it.</summary>
public sealed class MappedSpaceTests : IDisposable
{
    private const int Megabyte = 1 << 20;

    private readonly TemporaryDirectory _temporary = new();

    private string PilePath => Path.Combine(_temporary.Path, "pile");

    public void Dispose() => _temporary.Dispose();

    /// <summary>Where blocks were only promised, a store to a mapped page ends the process by a signal.</summary>
    [LoopDiskFact]
    public void A_full_disk_without_reservation_is_an_exception_at_growth()
    {
        using var disk = new LoopDisk(Path.Combine(_temporary.Path, "disk"), 24 * Megabyte);
        string path = Path.Combine(disk.Path, "pile");
        var live = new Dictionary<PilePointer, byte[]>();
        using (Pile pile = Pile.Open(path, Options()))
        {
            PileFullException full = Assert.Throws<PileFullException>(() => Fill(pile, live));
            Assert.IsAssignableFrom<IOException>(full.InnerException);
            disk.Fill();
            foreach ((PilePointer pointer, byte[] value) in live)
            {
                value.AsSpan().Reverse();
                pile.Replace(pointer, value);
            }
            Assert.Throws<PileFullException>(() => Fill(pile, live)); // what has space is used up to the last slot
        }
        using Pile again = Pile.Open(path, Options());
        foreach ((PilePointer pointer, byte[] value) in live)
            Assert.True(again.GetBytes(pointer).AsSpan().SequenceEqual(value), pointer.ToString());
    }

    /// <summary>A copy that left out the zeros has holes where the original had space.</summary>
    [LoopDiskFact]
    public void A_copy_with_holes_gets_the_space_of_its_pages_back_at_opening()
    {
        PilePointer zeros;
        using (Pile pile = Pile.Open(PilePath, Options()))
        {
            pile.Put("text");
            zeros = pile.Put(new byte[300_000]); // pages of zeros
        }
        using var disk = new LoopDisk(Path.Combine(_temporary.Path, "disk"), 12 * Megabyte);
        string copy = Path.Combine(disk.Path, "pile");
        Directory.CreateDirectory(copy);
        foreach (string path in Directory.GetFiles(PilePath))
            File.WriteAllBytes(Path.Combine(copy, Path.GetFileName(path)), File.ReadAllBytes(path));
        string segment = Path.Combine(copy, "segment-000000");
        using (FileStream from = File.OpenRead(Path.Combine(PilePath, "segment-000000")))
        using (FileStream to = File.Create(segment))
            SparseFile.Copy(from, to);
        disk.Fill();
        Assert.Contains(segment, Assert.Throws<PileStorageException>(() => Pile.Open(copy, Options())).Message, StringComparison.Ordinal);
        disk.FreeSpace();
        using Pile again = Pile.Open(copy, Options());
        disk.Fill();
        Assert.Throws<PileFullException>(() => again.Put(Value(1, 2 * Megabyte)));
        again.Replace(zeros, Value(1, 300_000));
        Assert.True(again.GetBytes(zeros).AsSpan().SequenceEqual(Value(1, 300_000)));
    }

    /// <summary>Each part of the zeros that are written in the place of a reservation may be the one for which there is no room.</summary>
    [Fact]
    public void Zeros_are_written_where_nothing_can_be_reserved()
    {
        for (int fullAt = 0; fullAt < 3; fullAt++)
        {
            var hook = new NoReservation(Path.Combine(PilePath, "segment-000000.new"), fullAt);
            using Pile pile = Pile.Open(PilePath, new PileOptions { SegmentBytes = 4 << 20, FileHook = hook });
            if (fullAt < 2) // two megabytes are the least
                Assert.Throws<PileFullException>(() => pile.Put("x"));
            else
                Assert.Equal("x", pile.Get(pile.Put("x")));
            Assert.Empty(Directory.GetFiles(PilePath, "*.new"));
            Assert.Equal(fullAt < 2 ? 0 : 4 << 20, pile.Statistics.ReservedBytes);
        }
    }

    private static PileOptions Options() => new() { SegmentBytes = 4 << 20, FlushLogBytes = 1 << 20 };

    private static void Fill(Pile pile, Dictionary<PilePointer, byte[]> live)
    {
        for (int i = 0; i < 1_000; i++)
        {
            byte[] value = Value(i, 50_000); // is replaced where it lies
            live[pile.Put(value)] = value;
        }
    }

    private static byte[] Value(int seed, int lengthBytes) => Noise.Of(lengthBytes, seed);

    private sealed class NoReservation(string path, int fullAt) : IFileHook
    {
        private int _writes;

        public void Before(FileOperation operation, string of)
        {
            if (of != path)
                return;
            if (operation == FileOperation.Allocate)
                throw new NotSupportedException();
            if (operation == FileOperation.Write && _writes++ == fullAt)
                throw new IOException("no space left on device", 28);
        }

        public void After(FileOperation operation, string of)
        {
        }
    }
}
