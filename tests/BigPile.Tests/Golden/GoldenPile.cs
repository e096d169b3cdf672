using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.IO.Compression;
using System.Linq;
using BigPile.Layout;

namespace BigPile.Tests.Golden;

/// <summary>
/// Makes piles whose every byte counts: closed, killed in the middle of a replacement, and after a power cut that took all but the log.
/// </summary>
/// <remarks>
/// Each is packed with a list of what it holds: the pointer of each object, and the number of its value, or -1 if it was deleted.
/// </remarks>
internal static class GoldenPile
{
    internal const string Closed = "closed";
    internal const string Killed = "killed";
    internal const string Cut = "cut";
    internal const string ListName = "objects.txt";

    private const long SegmentBytes = 4 << 20;
    private const int NumbersOfSameLength = 300; // apart

    /// <summary>The start of the machine during which the piles were made.</summary>
    internal static Guid Boot { get; } = new("00000000-0000-0000-0000-00000000001f");

    internal static Guid OtherBoot { get; } = new("00000000-0000-0000-0000-00000000002f");

    internal static PileOptions OptionsFor(Guid boot)
    {
        var options = new PileOptions { SegmentBytes = SegmentBytes, FlushLogBytes = 2 << 20, BootId = boot };
        options.CodecOptions.Allow(typeof(GoldenOrder));
        return options;
    }

    /// <summary>Makes a pile of a kind and packs it.</summary>
    internal static void Make(string kind, string workDirectory, string zipPath)
    {
        string pilePath = Path.Combine(workDirectory, "pile");
        string imagePath = Path.Combine(workDirectory, "image");
        Directory.CreateDirectory(imagePath);
        var durable = new Dictionary<string, byte[]>();
        PileOptions options = OptionsFor(Boot) with
        {
            Synced = path => durable[Path.GetFileName(path)] = PileFiles.ReadShared(path),
        };
        Dictionary<PilePointer, int> objects;
        using (Pile pile = Pile.Open(pilePath, options))
        {
            objects = Fill(pile);
            if (kind == Cut)
            {
                pile.Flush();
                durable["catalog"] = PileFiles.ReadShared(Path.Combine(pilePath, "catalog"));
                durable["redo"] = PileFiles.ReadShared(Path.Combine(pilePath, "redo"));
                foreach ((string name, byte[] bytes) in durable)
                    File.WriteAllBytes(Path.Combine(imagePath, name), bytes);
            }
            else if (kind == Killed)
            {
                KilledPile.Copy(pilePath, imagePath);
                Interrupt(imagePath, objects);
            }
        }
        if (kind == Closed)
            KilledPile.Copy(pilePath, imagePath);
        File.WriteAllLines(Path.Combine(imagePath, ListName), objects.Select(static pair => $"{pair.Key.ToUInt64():x} {pair.Value}"));
        ZipFile.CreateFromDirectory(imagePath, zipPath, CompressionLevel.SmallestSize, includeBaseDirectory: false);
    }

    /// <summary>Reads the list of a pile's objects.</summary>
    internal static Dictionary<PilePointer, int> ReadList(string directory) =>
        File.ReadLines(Path.Combine(directory, ListName)).Select(static line => line.Split(' ')).ToDictionary(
            static parts => PilePointer.FromUInt64(ulong.Parse(parts[0], NumberStyles.HexNumber, CultureInfo.InvariantCulture)),
            static parts => int.Parse(parts[1], CultureInfo.InvariantCulture));

    private static Dictionary<PilePointer, int> Fill(Pile pile)
    {
        var objects = new Dictionary<PilePointer, int>();
        PilePointer[] pointers = [.. Enumerable.Range(0, GoldenValues.Count).Select(number => pile.Put(GoldenValues.Of(number)))];
        for (int number = 0; number < pointers.Length; number++)
        {
            objects[pointers[number]] = number;
            if (number % 7 == 3)
                Replace(pile, objects, pointers[number], GoldenValues.FirstReplacement + number);
            if (number % 11 == 5)
                Delete(pile, objects, pointers[number]);
        }
        for (int number = GoldenValues.Count; number < GoldenValues.Count + 20; number++)
            objects[pile.Put(GoldenValues.Of(number))] = number; // in slots that were freed before
        return objects;
    }

    private static void Replace(Pile pile, Dictionary<PilePointer, int> objects, PilePointer pointer, int number)
    {
        pile.Replace(pointer, GoldenValues.Of(number));
        objects[pointer] = number;
    }

    private static void Delete(Pile pile, Dictionary<PilePointer, int> objects, PilePointer pointer)
    {
        pile.Delete(pointer);
        objects[pointer] = -1;
    }

    // What a kill leaves in the middle of a replacement: a busy header, half of a payload, and a redo record that counts.
    private static void Interrupt(string directory, Dictionary<PilePointer, int> objects)
    {
        PilePointer pointer = objects.First(static pair => pair.Value % 10 == 0 && pair.Value is > 100 and < GoldenValues.Count).Key;
        int number = objects[pointer] + NumbersOfSameLength;
        var payload = (byte[])GoldenValues.Of(number);
        objects[pointer] = number;
        using (var segment = new FileStream(Path.Combine(directory, "segment-000000"), FileMode.Open))
        using (var reader = new BinaryReader(segment))
        {
            segment.Position = (long)pointer.Address * SizeClasses.GranuleBytes;
            var header = new BlockHeader(reader.ReadUInt64());
            segment.Position -= BlockHeader.SizeBytes;
            segment.Write(BitConverter.GetBytes(header.Busy.Word));
            segment.Write(payload.AsSpan(0, payload.Length / 2));
        }
        using var redo = new FileStream(Path.Combine(directory, "redo"), FileMode.Open);
        redo.Write(BitConverter.GetBytes(pointer.Address | 1UL << 63));
        redo.Write(BitConverter.GetBytes(new BlockHeader(BlockKind.Bytes, pointer.Generation, (ulong)payload.Length).Word));
        redo.Write(BitConverter.GetBytes((ulong)payload.Length << 32));
        redo.Position = 64;
        redo.Write(payload);
    }
}
