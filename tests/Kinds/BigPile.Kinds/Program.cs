using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;

namespace BigPile.Kinds;

/// <summary><c>write DIRECTORY</c> puts every kind of value; <c>read DIRECTORY</c>, in another process, gets and compares them.</summary>
/// <remarks>Prints a line for each value: its number, the result (equal, refused, other), its name, and details.</remarks>
internal static class Program
{
    private const string IndexFile = "kinds.txt";
    private const string RefusedMark = "refused";

    public static int Main(string[] arguments)
    {
        if (arguments is ["write", string target])
            return Write(target);
        if (arguments is ["read", string source])
            return Read(source);
        Console.Error.WriteLine("usage: write DIRECTORY | read DIRECTORY");
        return 2;
    }

    private static int Write(string directory)
    {
        using Pile pile = Pile.Open(directory, Options(readOnly: false));
        using StreamWriter index = File.CreateText(Path.Combine(directory, IndexFile));
        foreach (Kind kind in Suite.All())
            index.WriteLine(Put(pile, kind));
        return 0;
    }

    private static string Put(Pile pile, Kind kind)
    {
        try
        {
            return pile.Put(kind.Make()).ToUInt64().ToString(CultureInfo.InvariantCulture);
        }
        catch (PileSerializationException e)
        {
            return RefusedMark + " " + e.Message.ReplaceLineEndings(" ");
        }
        catch (Exception e)
        {
            return "failed " + e.GetType() + ": " + e.Message.ReplaceLineEndings(" ");
        }
    }

    private static int Read(string directory)
    {
        string[] index = File.ReadAllLines(Path.Combine(directory, IndexFile));
        object?[] found = Get(directory, index);
        Compare(index, found);
        return 0;
    }

    // All are read before the first value is made: nothing that the reading needs may come from the making.
    private static object?[] Get(string directory, string[] index)
    {
        using Pile pile = Pile.Open(directory, Options(readOnly: true));
        return Array.ConvertAll(index, line => GetOne(pile, line));
    }

    private static object? GetOne(Pile pile, string line)
    {
        if (!ulong.TryParse(line, CultureInfo.InvariantCulture, out ulong pointer))
            return null;
        try
        {
            return pile.Get(PilePointer.FromUInt64(pointer));
        }
        catch (Exception e)
        {
            return new Failure(e);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Compare(string[] index, object?[] found)
    {
        Kind[] kinds = [.. Suite.All()];
        if (kinds.Length != index.Length)
            throw new InvalidOperationException("Another suite was written.");
        foreach ((int number, Kind kind) in kinds.Index())
        {
            (string result, string detail) = Judge(kind, index[number], found[number]);
            Console.WriteLine($"{number}\t{result}\t{kind.Name}\t{detail}");
        }
    }

    private static (string Result, string Detail) Judge(Kind kind, string line, object? found)
    {
        if (line.StartsWith(RefusedMark, StringComparison.Ordinal))
            return kind.Outcome == Outcome.Refused ? ("refused", line) : ("other", "should be kept: " + line);
        if (found is Failure failure)
            return ("other", failure.Error.GetType().Name + ": " + failure.Error.Message.ReplaceLineEndings(" "));
        if (found is null)
            return ("other", line);
        string? difference = Same.Difference(kind.Make(), found);
        if (difference is not null)
            return ("other", "differs: " + difference);
        return kind.Outcome == Outcome.Kept ? ("equal", "") : ("other", "should be refused");
    }

    private static PileOptions Options(bool readOnly) => new()
    {
        SegmentBytes = 4 << 20,
        ReadOnly = readOnly,
        CodecOptions = Suite.Options(),
    };

    private sealed record Failure(Exception Error);
}
