using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Files;

namespace BigPile.Hash.Tests.Failures;

/// <summary>A small database, of whose file bytes are changed.</summary>
internal sealed class DamagedFile
{
    private const int SectorBytes = 512;
    private const int HotBytes = 12 << 10; // head, buckets, and the first records

    private static readonly Guid Boot = new(1, 2, 3, new byte[8]);

    private readonly Dictionary<int, byte[]> _content = [];
    private readonly Guid _nextBoot;

    internal DamagedFile(string directory, HashEnding ending)
    {
        Path = System.IO.Path.Combine(directory, "database");
        _nextBoot = ending == HashEnding.PowerCut ? Guid.NewGuid() : Boot;
        using HashDatabase database = Open(BlockFileKind.MappedParallel, Boot);
        for (int i = 0; i < 60; i++)
            database.Set(Some.Key(i), _content[i] = Some.Bytes(i, i * 7 % 90));
        database.Set(Some.Key(60), _content[60] = Some.Bytes(60, 5_000));
        database.Synchronize();
        for (int i = 0; i < 60; i += 5)
            database.Set(Some.Key(i), _content[i] = Some.Bytes(i + 100, i * 5 % 80));
        for (int i = 1; i < 60; i += 6)
            Assert.True(_content.Remove(i) && database.Remove(Some.Key(i)));
        database.Synchronize(hard: ending == HashEnding.PowerCut);
        if (ending != HashEnding.Closed)
            Original = PileFiles.ReadShared(Path);
        database.Close();
        Original ??= File.ReadAllBytes(Path);
    }

    internal string Path { get; }

    /// <summary>The bytes as they were.</summary>
    internal byte[] Original { get; }

    /// <summary>The bytes with a change.</summary>
    internal byte[] Change(Random random)
    {
        byte[] bytes = [.. Original];
        for (int changes = 1 + random.Next(random.Next(3) == 0 ? 8 : 1); changes > 0; changes--)
        {
            int at = random.Next(random.Next(8) == 0 ? bytes.Length : Math.Min(HotBytes, bytes.Length));
            Span<byte> here = bytes.AsSpan(at);
            Span<byte> word = bytes.AsSpan(at & ~7, Math.Min(8, bytes.Length - (at & ~7)));
            int first = at / SectorBytes * SectorBytes;
            Span<byte> sector = bytes.AsSpan(first, Math.Min(SectorBytes, bytes.Length - first));
            switch (random.Next(9))
            {
                case < 3:
                    here[0] ^= (byte)(1 << random.Next(8));
                    break;
                case 3:
                    here[0] = (byte)random.Next(256);
                    break;
                case 4:
                    random.NextBytes(word);
                    break;
                case 5:
                    BitConverter.TryWriteBytes(word, (long)random.Next(bytes.Length) / 8 * 8); // an offset of this file
                    break;
                case 6:
                    word.Fill(random.Next(2) == 0 ? byte.MaxValue : (byte)0);
                    break;
                case 7:
                    sector.Clear();
                    break;
                default:
                    Original.AsSpan(random.Next(bytes.Length - sector.Length), sector.Length).CopyTo(sector);
                    break;
            }
        }
        return bytes;
    }

    /// <summary>Opens the file as it is now, and reads it in every way; then changes it.</summary>
    /// <returns>What came of it, in a word.</returns>
    internal string Use(BlockFileKind kind, string name)
    {
        try
        {
            _ = HashDatabase.Verify(Path);
            using HashDatabase database = Open(kind, _nextBoot);
            HashEnding ending = database.Recovery.Ending;
            bool isSound = database.Verify().IsSound;
            int lacking = 0;
            foreach ((int key, byte[] value) in _content)
                lacking += IsRight(database.Get(Some.Key(key)), value, name, key) ? 0 : 1;
            foreach (HashRecord record in database)
                CheckRecord(record, name);
            if (lacking != 0 && isSound && ending == HashEnding.Closed)
                Assert.Fail($"{name}: {lacking} keys are not there, and the database calls itself sound and was closed");
            Change(database, isSound);
            return !isSound ? "unsound" : lacking != 0 ? "dropped" : "unharmed";
        }
        catch (IOException e)
        {
            return e.GetType().Name;
        }
    }

    private static bool IsRight(byte[]? found, byte[] value, string name, int key)
    {
        Assert.True(
            found == null || found.AsSpan().SequenceEqual(value) || IsOlder(key, found),
            $"{name}: key {key} has a value that was never set");
        return found != null;
    }

    private void CheckRecord(HashRecord record, string name)
    {
        int key = Some.NumberOf(record.Key.Span);
        byte[] value = record.Value.ToArray();
        bool isRight = _content.TryGetValue(key, out byte[]? set) && set.AsSpan().SequenceEqual(value);
        Assert.True(isRight || IsOlder(key, value), $"{name}: the walk gives key {key} a value that was never set");
    }

    // What was replaced or removed may come back when what says so is damaged.
    private static bool IsOlder(int key, byte[] value) => value.AsSpan().SequenceEqual(Some.Bytes(key, key * 7 % 90));

    private static void Change(HashDatabase database, bool isSound)
    {
        for (int i = 0; i < 80; i++)
            database.Set(Some.Key(i + 30), Some.Bytes(i, 100));
        for (int i = 0; i < 80; i += 2)
            database.Remove(Some.Key(i));
        database.Synchronize();
        database.Rebuild();
        if (isSound)
            Assert.Equal(database.Count, database.Count());
        database.Clear();
    }

    private HashDatabase Open(BlockFileKind kind, Guid boot) =>
        HashDatabase.Open(Path, new HashDatabaseOptions { FileKind = kind, Tuning = Some.FewBuckets, BootId = boot });
}
