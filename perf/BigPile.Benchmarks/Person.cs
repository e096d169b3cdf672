using System;

namespace BigPile.Benchmarks;

/// <summary>Seven fields, no attributes.</summary>
public sealed class Person
{
    /// <summary>Given name.</summary>
    public string FirstName { get; set; } = "";

    /// <summary>Family name.</summary>
    public string LastName { get; set; } = "";

    /// <summary>Number.</summary>
    public long Id { get; set; }

    /// <summary>Day of birth.</summary>
    public DateTime Born { get; set; }

    /// <summary>Salary.</summary>
    public double Salary { get; set; }

    /// <summary>Whether employed.</summary>
    public bool IsActive { get; set; }

    /// <summary>Grade.</summary>
    public int Grade { get; set; }

    internal Person Copy() => (Person)MemberwiseClone();

    internal static Person[] Pool(int count, int seed)
    {
        string[] firstNames = ["Anna", "Bob", "Carlos", "Dmitri", "Eve", "Fatima", "George", "Hiro"];
        string[] lastNames = ["Smith", "Jones", "Garcia", "Ivanov", "Tanaka", "Brown", "Miller", "Kim"];
        var random = new Random(seed);
        var pool = new Person[count];
        for (int i = 0; i < count; i++)
        {
            pool[i] = new Person
            {
                FirstName = firstNames[random.Next(firstNames.Length)],
                LastName = lastNames[random.Next(lastNames.Length)],
                Id = random.NextInt64(1L << 40),
                Born = new DateTime(1950, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddDays(random.Next(20_000)),
                Salary = random.NextDouble() * 100_000,
                IsActive = random.Next(2) == 0,
                Grade = random.Next(100),
            };
        }
        return pool;
    }
}
