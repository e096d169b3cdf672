using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Kinds;

/// <summary>What reflection does not see of a value, as text.</summary>
internal interface ISeen
{
    string Seen { get; }
}

internal enum Small : byte
{
    One = 1,
    Two = 2,
}

[InlineArray(3)]
internal struct NumberRow : ISeen
{
    private int _first;

    public readonly string Seen => $"{this[0]} {this[1]} {this[2]}";

    public static NumberRow Of(int a, int b, int c)
    {
        var row = new NumberRow { _first = a };
        row[1] = b;
        row[2] = c;
        return row;
    }
}

[InlineArray(3)]
internal struct TextRow : ISeen
{
    private string? _first;

    public readonly string Seen => $"{this[0]} {this[1]} {this[2]}";

    public static TextRow Of(string? a, string? b, string? c)
    {
        var row = new TextRow { _first = a };
        row[1] = b;
        row[2] = c;
        return row;
    }
}

internal unsafe struct FixedRow : ISeen
{
    public int Before;
    public fixed long Numbers[4];
    public bool After;

    public readonly string Seen => $"{Before} {Numbers[0]} {Numbers[1]} {Numbers[2]} {Numbers[3]} {After}";

    public static FixedRow Of(int start)
    {
        var row = new FixedRow { Before = start, After = true };
        for (int i = 0; i < 4; i++)
            row.Numbers[i] = start * 10 + i;
        return row;
    }
}

internal unsafe struct FixedText : ISeen
{
    public fixed char Letters[4];

    public readonly string Seen => $"{Letters[0]}{Letters[1]}{Letters[2]}{Letters[3]}";

    public static FixedText Of(string text)
    {
        var row = default(FixedText);
        for (int i = 0; i < 4; i++)
            row.Letters[i] = text[i];
        return row;
    }
}

internal sealed class FixedHolder
{
    public FixedRow Row;
}

[StructLayout(LayoutKind.Explicit)]
internal struct Apart
{
    [FieldOffset(8)]
    public int Number;

    [FieldOffset(0)]
    public bool Flag;
}

[StructLayout(LayoutKind.Explicit)]
internal struct Marked
{
    [FieldOffset(0)]
    public long All;

    [FieldOffset(0), NonSerialized]
    public int Low;

    [FieldOffset(4), NonSerialized]
    public int High;
}

[StructLayout(LayoutKind.Explicit)]
internal struct Overlap
{
    [FieldOffset(0)]
    public int Number;

    [FieldOffset(0)]
    public bool Flag;
}

[StructLayout(LayoutKind.Explicit)]
internal sealed class OverlapClass
{
    [FieldOffset(0)]
    public long Wide;

    [FieldOffset(4)]
    public byte Upper;
}

internal sealed class Captured(string title, int number)
{
    public string Both => title + number;
}

internal sealed class Growing<T>
{
    public T? Value { get; set; }

    public Growing<List<T>>? Next { get; set; }
}

internal sealed class ChangingKey
{
    public int Number { get; set; }

    public override bool Equals(object? obj) => obj is ChangingKey other && other.Number == Number;

    public override int GetHashCode() => Number;
}
