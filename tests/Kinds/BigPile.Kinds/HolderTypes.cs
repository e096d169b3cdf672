using System.Collections.Generic;

namespace BigPile.Kinds;

internal sealed class Holder<T>
{
    public int Before;
    public T? Value;
    public string? After;
}

internal sealed class Page<T>
{
    public T? Item { get; set; }

    public int Number { get; set; }
}

internal sealed class Box
{
    public object? Value;
    public int After;
}

internal sealed class Sequence<T>
{
    public IEnumerable<T>? Items;
}

internal sealed class NamedList<T> : List<T>
{
    public string Title { get; set; } = "title";
}

internal sealed record Entry<T>(string Name, T Value);

internal sealed record Point(int X, int Y);

internal sealed record Person(string Name, Point? At);

internal enum Level
{
    Low,
    High = 100_000,
}
