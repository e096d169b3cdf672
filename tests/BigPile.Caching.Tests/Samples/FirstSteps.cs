using System;

namespace BigPile.Caching.Tests.Samples;

/// <summary>The README's first examples; a test runs them, and another one compares them with the README.</summary>
internal static class FirstSteps
{
    internal static string Run(string data)
    {
        // README: first example
        using Pile pile = Pile.Open(data);       // files in this directory; new Pile(): in memory
        using var cache = new PileCache(pile);
        var options = new TableOptions("people") { CollisionMode = CollisionMode.Durable };  // by default it may evict
        CacheTable<string, Person> people = cache.GetOrCreateTable<string, Person>(options);
        people.Put("ada", new Person { Name = "Ada Lovelace", Born = new DateTime(1815, 12, 10) });
        Person ada = people.Get("ada");            // a new object, equal to the one that was put
        pile.Flush();                              // safe from a power cut, too; from kill -9 it was since the put
        // README: end
        return ada.Name;
    }

    internal static (string Name, bool IsThere) UsePointers(Pile pile)
    {
        // README: pointers
        PilePointer pointer = pile.Put(new Person { Name = "Ada" });
        pile.Replace(pointer, new Person { Name = "Ada Lovelace" });   // of any size: the pointer stays
        string name = pile.Get<Person>(pointer).Name;
        pile.Delete(pointer);
        bool isThere = pile.TryGet(pointer, out Person? none);         // false, for ever; Get throws
        // README: end of pointers
        return (name, isThere || none != null);
    }

    // README: class
    public class Person
    {
        public string Name { get; set; } = "";

        public DateTime Born { get; set; }
    }
    // README: end of class
}
