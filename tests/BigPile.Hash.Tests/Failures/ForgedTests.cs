using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Files;
using BigPile.Hash.Format;
using BigPile.Memory;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.Failures;

/// <summary>Each field is made up in turn, with the checksum that makes it look right.</summary>
public sealed class ForgedTests(ITestOutputHelper output) : IDisposable
{
    private const int Records = 40;
    private const long Terabytes = 1L << 43;

    private readonly ScratchDirectory _temporary = new();

    private string FilePath => Path.Combine(_temporary.Root, "database");

    public void Dispose() => _temporary.Dispose();

    public static TheoryData<int, long> LayoutFields => new()
    {
        { 8, 0 }, { 8, 3 }, { 8, uint.MaxValue }, { 12, 0 }, { 12, 5 }, { 12, 16 }, { 12, int.MaxValue }, { 16, 0 }, { 16, 4 }, { 16, 12 },
        { 16, 1 << 30 }, { 16, uint.MaxValue }, { 24, 0 }, { 24, 1 }, { 24, 3 }, { 24, -1 }, { 24, 1L << 40 }, { 24, 1L << 62 },
        { 24, long.MaxValue }, { 24, 1 << 20 },
    };

    /// <summary>Settings that no database has, or that this file is too short for.</summary>
    [Theory]
    [MemberData(nameof(LayoutFields))]
    public void Settings_that_are_made_up_are_refused(int at, long value)
    {
        byte[] bytes = MakeFile(isClosed: true);
        if (at == 24)
            BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(at), value);
        else
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(at), (uint)value);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(48), ~Crc32C.Add(Crc32C.Seed, bytes.AsSpan(8, 40)));
        foreach (BlockFileKind kind in BlockFile.Kinds)
        {
            File.WriteAllBytes(FilePath, bytes);
            var error = Assert.ThrowsAny<HashDatabaseException>(() => Open(kind).Dispose());
            Assert.Contains(FilePath, error.Message, StringComparison.Ordinal);
            Assert.True(bytes.AsSpan().SequenceEqual(File.ReadAllBytes(FilePath)), "the file was changed");
        }
        Assert.False(HashDatabase.Verify(FilePath).IsSound);
    }

    /// <summary>Counts, sequences and phases in the header cannot make the file grow, nor make up or hide a value.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_state_that_is_made_up_harms_nothing(bool isClosed)
    {
        byte[] original = MakeFile(isClosed);
        FileLayout layout = FileLayout.Read(original, FilePath, original.Length);
        FileState state = FileState.ReadNewest(original, layout.Salt)!.Value with { };
        FileState[] forged =
        [
            state with { Counter = ulong.MaxValue }, state with { Counter = 0 }, state with { Phase = 0 },
            state with { Phase = (FilePhase)99 },
            state with { Phase = FilePhase.Recovering }, state with { Phase = FilePhase.Open }, state with { Phase = FilePhase.Closed },
            state with { BootId = Guid.NewGuid() }, state with { Records = -1 }, state with { Records = long.MaxValue },
            state with { Records = 0 }, state with { SyncedSequence = RecordHead.MaxSequence }, state with { SyncedSequence = 0 },
            state with { LastSequence = RecordHead.MaxSequence }, state with { LastSequence = 0 },
            state with { WasEverHard = !state.WasEverHard },
            state with { IsHard = !state.IsHard },
        ];
        var outcomes = new List<string>();
        foreach (FileState one in forged)
        {
            byte[] bytes = [.. original];
            bytes.AsSpan(512, 1_024).Clear();
            one.Write(bytes.AsSpan((int)one.At), layout.Salt);
            outcomes.Add(Use(bytes, one.ToString(), lacksNothing: true));
        }
        output.WriteLine(string.Join(", ", outcomes));
    }

    /// <summary>Links that lead round in a circle, into other chains, behind the end, into the head and between records.</summary>
    [Fact]
    public void Links_that_are_made_up_end()
    {
        byte[] original = MakeFile(isClosed: true);
        long[] records = [.. Enumerable.Range(0, Records).Select(number => OffsetOf(original, number))];
        long[] targets =
        [
            0, 1, 8, 512, 4_096, 4_097, records[0], records[7], records[7] + 8, records[3] + 1, original.Length, original.Length - 8,
            original.Length - 32, Terabytes, long.MaxValue, long.MinValue, -8,
        ];
        var outcomes = new Dictionary<string, int>();
        foreach (long from in (long[])[records[0] + RecordHead.NextAt, records[7] + RecordHead.NextAt, .. Links(original, records)])
        {
            foreach (long target in targets)
            {
                byte[] bytes = [.. original];
                BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan((int)from), target);
                string outcome = Use(bytes, $"link at {from} to {target}", lacksNothing: false);
                outcomes[outcome] = outcomes.GetValueOrDefault(outcome) + 1;
            }
        }
        output.WriteLine(string.Join(", ", outcomes));
    }

    /// <summary>Rooms that say that they are longer than the file, nothing, or of another kind; lengths that say gigabytes.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Rooms_and_lengths_that_are_made_up_take_no_memory(bool isClosed)
    {
        byte[] original = MakeFile(isClosed);
        FileLayout layout = FileLayout.Read(original, FilePath, original.Length);
        var outcomes = new Dictionary<string, int>();
        foreach (int number in (int[])[0, 7, Records - 1])
        {
            int at = (int)OffsetOf(original, number);
            foreach (long units in (long[])[0, 1, 3, 4, 1_000, 1 << 20, int.MaxValue, uint.MaxValue])
            {
                foreach (ExtentKind kind in Enum.GetValues<ExtentKind>())
                    Try($"room of {units} units, {kind}", at, ExtentWord.Of(units, kind, at, layout.Salt).Bits);
            }
            ulong key = BinaryPrimitives.ReadUInt64LittleEndian(original.AsSpan(at + 16));
            ulong value = BinaryPrimitives.ReadUInt64LittleEndian(original.AsSpan(at + 24));
            Try("key of 65,535", at + 16, key | 0xFFFFUL << 48);
            Try("key of 0", at + 16, key & RecordHead.MaxSequence);
            Try("value of 4 GiB", at + 24, value | uint.MaxValue);
            Try("value of 0", at + 24, value & ~(ulong)uint.MaxValue);
            Try("last sequence", at + 16, key | RecordHead.MaxSequence);
        }
        output.WriteLine(string.Join(", ", outcomes));

        void Try(string name, int at, ulong word)
        {
            byte[] bytes = [.. original];
            BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(at), word);
            string outcome = Use(bytes, name, lacksNothing: false);
            outcomes[outcome] = outcomes.GetValueOrDefault(outcome) + 1;
        }
    }

    private static IEnumerable<long> Links(byte[] bytes, long[] records)
    {
        for (long link = FileLayout.HeadBytes; link < FileLayout.HeadBytes + HashTuning.MinBuckets * sizeof(long); link += sizeof(long))
        {
            if (records.Take(3).Contains(BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan((int)link))))
                yield return link;
        }
    }

    private static long OffsetOf(byte[] bytes, int number)
    {
        byte[] key = Some.Key(number);
        for (int from = FileLayout.HeadBytes; ; from++)
        {
            int at = bytes.AsSpan(from).IndexOf(key);
            Assert.True(at >= 0, $"the record of key {number} is not in the file");
            from += at;
            int start = from - RecordHead.Bytes;
            if (start % 8 == 0 && RecordHead.Read(bytes.AsSpan(start)).KeyLength == key.Length)
                return start;
        }
    }

    // Right values or an exception, in bounded time and space.
    private string Use(byte[] bytes, string name, bool lacksNothing)
    {
        string last = "";
        foreach (BlockFileKind kind in (BlockFileKind[])[BlockFileKind.MappedParallel, BlockFileKind.PositionalAtomic])
        {
            File.WriteAllBytes(FilePath, bytes);
            long allocated = GC.GetAllocatedBytesForCurrentThread();
            last = UseOnce(kind, $"{name}, {kind}", lacksNothing);
            Assert.True(GC.GetAllocatedBytesForCurrentThread() - allocated < 64 << 20, $"{name}: memory was taken");
            Assert.True(new FileInfo(FilePath).Length < bytes.Length + (8 << 20), $"{name}: the file grew");
        }
        return last;
    }

    private string UseOnce(BlockFileKind kind, string name, bool lacksNothing)
    {
        try
        {
            bool isSound = HashDatabase.Verify(FilePath).IsSound;
            using HashDatabase database = Open(kind);
            for (int i = 0; i < Records; i++)
            {
                byte[]? found = database.Get(Some.Key(i));
                Assert.True(found == null ? !lacksNothing : found.AsSpan().SequenceEqual(Some.Bytes(i, i * 3)), $"{name}: key {i}");
            }
            Assert.All(database, record =>
            {
                int number = Some.NumberOf(record.Key.Span);
                Assert.True(record.Value.Span.SequenceEqual(Some.Bytes(number, number * 3)), $"{name}: key {number} in the walk");
            });
            database.Set(Some.Key(3), Some.Bytes(3, 9));
            database.Remove(Some.Key(7));
            database.Set(Some.Key(1_000), "new"u8);
            return isSound ? "sound" : "unsound";
        }
        catch (IOException e)
        {
            return e.GetType().Name;
        }
    }

    private HashDatabase Open(BlockFileKind kind) =>
        HashDatabase.Open(FilePath, new HashDatabaseOptions { FileKind = kind, Tuning = Some.FewBuckets });

    private byte[] MakeFile(bool isClosed)
    {
        using HashDatabase database = Open(BlockFileKind.MappedParallel);
        for (int i = 0; i < Records; i++)
            database.Set(Some.Key(i), Some.Bytes(i, i * 3));
        byte[] killed = PileFiles.ReadShared(FilePath);
        database.Close();
        return isClosed ? File.ReadAllBytes(FilePath) : killed;
    }
}
