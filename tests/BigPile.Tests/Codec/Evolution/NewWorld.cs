using System;
using System.Collections.Generic;
using MessagePack;

namespace BigPile.Tests.Codec;

#pragma warning disable CS0649 // Some members stay at their defaults.
/// <summary>The application's types as they are now.</summary>
internal static class NewWorld
{
    public class Animal
    {
        public string? Name;
    }

    public sealed class Hound : Animal
    {
        public long Speed;
    }

    public sealed class Kennel
    {
        public Hound? Guest;
    }

    public sealed class Customer
    {
        public DayOfWeek Day;
        public IReadOnlyList<string>? Tags;
        public string? New;
        public List<Customer>? Friends;
        public int? Maybe;
        public long Age;
        public double Rate;
        public Address? Home;
        public Point Place;
        public object? Name;
        public int[]? Numbers;
    }

    public sealed class Address
    {
        public int Zip;
        public string? City;
    }

    public struct Point
    {
        public int Z;
        public int Y;
        public long X;
    }

    public sealed class Holder
    {
        public Address? Again;
        public Address? Kept;
    }

    public sealed class Mixed
    {
        public object? Again;
        public IPet? Pet;
        public Roster? Roster;
        public NamedThing? Named;
        public IndexedThing? Indexed;
    }

    public sealed class Roster : List<int>
    {
        public string? Title;
    }

    [MessagePackObject(true)]
    public sealed class NamedThing
    {
        public string? Added { get; set; }

        public decimal Price { get; set; }

        public int Kept { get; set; }
    }

    [MessagePackObject]
    public sealed class IndexedThing
    {
        [Key(0)]
        public long First { get; set; }

        [Key(3)]
        public int Fourth { get; set; }

        [Key(4)]
        public int Third { get; set; }
    }

    [Union(0, typeof(Dog))]
    [Union(1, typeof(Cat))]
    public interface IPet;

    public sealed class Dog : IPet
    {
        public string? Name;
    }

    public sealed class Cat : IPet
    {
        public int Age;
        public int Lives;
    }

    public sealed class Changed
    {
        public string? Value;
    }

    public sealed class Narrowed
    {
        public short Value;
    }
}
