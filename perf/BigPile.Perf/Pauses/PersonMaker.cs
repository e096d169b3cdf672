using System;
using BigPile.Perf.Payloads;

namespace BigPile.Perf.Pauses;

/// <summary>Makes persons that share nothing, as they come from a database or a file.</summary>
internal static class PersonMaker
{
    private static readonly Person[] Patterns = PersonKind.MakePool();

    internal static Person Make(int number)
    {
        Person pattern = Patterns[PayloadPool.IndexOf(number)];
        return new Person
        {
            Id = number,
            FirstName = new string(pattern.FirstName.AsSpan()),
            LastName = new string(pattern.LastName.AsSpan()),
            Registered = pattern.Registered,
            Balance = pattern.Balance,
            IsActive = pattern.IsActive,
            OrderCount = pattern.OrderCount,
        };
    }

    /// <summary>Whether it is the person of a number.</summary>
    internal static bool IsOf(Person person, int number) =>
        person.Id == number && person.LastName == Patterns[PayloadPool.IndexOf(number)].LastName;
}
