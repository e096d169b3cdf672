using System.Collections.Generic;
using System.ComponentModel;

namespace BigPile.AspNetCore.Tests.Support;

public sealed class Poco
{
    public int Number { get; set; }

    public string Text { get; set; } = "";
}

[ImmutableObject(true)]
public sealed record ImmutablePoco(int Number, string Text);

#pragma warning disable CA1051, SA1401 // fields are what is tested
public sealed class FieldPoco
{
    public int X;
    public string? Y;
}

public sealed class MixedPoco
{
    public int X;

    public string? Y { get; set; }
}
#pragma warning restore CA1051, SA1401

public sealed class Tree
{
    public string Name { get; set; } = "";

    public Tree? Parent { get; set; }

    public List<Tree> Children { get; } = [];
}

/// <summary>What no codec can store.</summary>
public sealed class Unstorable
{
    public System.Func<int>? Function { get; set; }

    public int Number { get; set; }
}

/// <summary>The same, said to be immutable.</summary>
[ImmutableObject(true)]
public sealed class ImmutableUnstorable
{
    public System.Func<int>? Function { get; init; }
}
