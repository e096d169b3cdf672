using System;

namespace BigPile.Caching.Tests.Samples;

/// <summary>The README's first example; a test runs it, and another one compares it with the README.</summary>
internal static class FirstSteps
{
    internal static string Run(string directory)
    {
        // README: first example
        using Pile pile = Pile.Open(directory);            // or new Pile(): memory only

        PilePointer ada = pile.Put(new Person { Name = "Ada", Born = new DateTime(1815, 12, 10) });
        Person copy = pile.Get<Person>(ada);               // an equal object, new each time
        pile.Replace(ada, new Person { Name = "Ada Lovelace", Born = copy.Born });  // in place: the pointer stays

        using var cache = new PileCache(pile);
        CacheTable<string, Person> people = cache.GetOrCreateTable<string, Person>("people");
        people.Put("ada", pile.Get<Person>(ada));          // there again after a restart
        // README: end
        return people.Get("ada").Name;
    }

    // README: class
    public class Person
    {
        public string Name { get; set; } = "";

        public DateTime Born { get; set; }
    }
    // README: end of class
}
