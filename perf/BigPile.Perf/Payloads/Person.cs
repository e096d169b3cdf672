using System;

namespace BigPile.Perf.Payloads;

/// <summary>A small business object of seven fields, as an application would write it: nothing in it knows of a pile.</summary>
internal sealed class Person
{
    internal long Id { get; init; }

    internal string FirstName { get; init; } = "";

    internal string LastName { get; init; } = "";

    internal DateTime Registered { get; init; }

    internal double Balance { get; init; }

    internal bool IsActive { get; init; }

    internal int OrderCount { get; init; }
}
