using System;
using System.Collections.Generic;
using MessagePack;

namespace BigPile.Tests.Codec;

#pragma warning disable CS0649 // Some members exist only to be discarded.
/// <summary>The application's types as they were.</summary>
internal static class OldWorld
{
    public sealed class Customer
    {
        public string? Name;
        public int Gone;
        public int Age;
        public float Rate;
        public Address? Home;
        public List<string>? Tags;
        public int Maybe;
        public Point Place;
        public DayOfWeek Day;
        public int[]? Numbers;
        public List<Customer>? Friends;
    }

    public sealed class Address
    {
        public string? City;
        public int Zip;
    }

    public struct Point
    {
        public int X;
        public int Y;
    }

    public sealed class OnlyOld
    {
        public Address? Inner;
        public OnlyOld? Next;
        public List<OnlyOld>? More;
        public OnlyOldFlat Flat;
        public List<byte[]>? Blobs;
        public DateTime? When;
        public decimal Price;
    }

    public class Animal
    {
        public string? Name;
    }

    public sealed class OnlyOldCat : Animal
    {
        public int Lives;
    }

    public struct OnlyOldFlat
    {
        public string? Text;
        public Address? Inner;
    }

    public sealed class Holder
    {
        public OnlyOld? Gone1;
        public object? Gone2;
        public Dictionary<string, OnlyOld[]>? Gone3;
        public OnlyOldFlat Gone4;
        public Address? Kept;
        public Address? Again;
    }

    public sealed class Changed
    {
        public int Value;
    }

    public sealed class Mixed
    {
        public object[]? Dropped;
        public OnlyOldRoster? DroppedRoster;
        public OnlyOldNamed DroppedNamed;
        public IPet? DroppedPet;
        public Roster? Roster;
        public NamedThing? Named;
        public IndexedThing? Indexed;
        public IPet? Pet;
        public object? Again;
    }

    public sealed class Roster : List<int>
    {
        public int Gone;
        public string? Title;
    }

    public sealed class OnlyOldRoster : List<string>
    {
        public string? Title;
    }

    [MessagePackObject(true)]
    public sealed class NamedThing
    {
        public Address? Gone { get; set; }

        public int Kept { get; set; }

        public decimal Price { get; set; }
    }

    [MessagePackObject(true)]
    public struct OnlyOldNamed
    {
        public string? Text { get; set; }
    }

    [MessagePackObject]
    public sealed class IndexedThing
    {
        [Key(0)]
        public int First { get; set; }

        [Key(1)]
        public string? Second { get; set; }

        [Key(4)]
        public int Third { get; set; }
    }

    [Union(0, typeof(Cat))]
    public interface IPet;

    public sealed class Cat : IPet
    {
        public int Lives;
    }

    public sealed class Narrowed
    {
        public int Value;
    }
}
