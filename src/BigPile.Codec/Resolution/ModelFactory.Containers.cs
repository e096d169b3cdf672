using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Collections.Specialized;
using System.Diagnostics;
using System.Dynamic;
using System.Linq;
using BigPile.Codec.Collections;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;

namespace BigPile.Codec.Resolution;

/// <content>Arrays and collections.</content>
internal sealed partial class ModelFactory
{
    /// <summary>Collections and their models. A generic model has the same type arguments as its collection.</summary>
    private static readonly Dictionary<Type, Type> Collections = new()
    {
        [typeof(List<>)] = typeof(ListModel<>),
        [typeof(Dictionary<,>)] = typeof(DictionaryModel<,>),
        [typeof(HashSet<>)] = typeof(HashSetModel<>),
        [typeof(Queue<>)] = typeof(QueueModel<>),
        [typeof(Stack<>)] = typeof(StackModel<>),
        [typeof(LinkedList<>)] = typeof(LinkedListModel<>),
        [typeof(SortedSet<>)] = typeof(SortedSetModel<>),
        [typeof(SortedDictionary<,>)] = typeof(SortedDictionaryModel<,>),
        [typeof(SortedList<,>)] = typeof(SortedListModel<,>),
        [typeof(PriorityQueue<,>)] = typeof(PriorityQueueModel<,>),
        [typeof(ConcurrentDictionary<,>)] = typeof(ConcurrentDictionaryModel<,>),
        [typeof(ConcurrentQueue<>)] = typeof(ConcurrentQueueModel<>),
        [typeof(ConcurrentStack<>)] = typeof(ConcurrentStackModel<>),
        [typeof(ConcurrentBag<>)] = typeof(ConcurrentBagModel<>),
        [typeof(Collection<>)] = typeof(CollectionModel<>),
        [typeof(ObservableCollection<>)] = typeof(ObservableCollectionModel<>),
        [typeof(ReadOnlyCollection<>)] = typeof(ReadOnlyCollectionModel<>),
        [typeof(ReadOnlyDictionary<,>)] = typeof(ReadOnlyDictionaryModel<,>),
        [typeof(ImmutableList<>)] = typeof(ImmutableListModel<>),
        [typeof(ImmutableQueue<>)] = typeof(ImmutableQueueModel<>),
        [typeof(ImmutableStack<>)] = typeof(ImmutableStackModel<>),
        [typeof(ImmutableHashSet<>)] = typeof(ImmutableHashSetModel<>),
        [typeof(ImmutableSortedSet<>)] = typeof(ImmutableSortedSetModel<>),
        [typeof(ImmutableDictionary<,>)] = typeof(ImmutableDictionaryModel<,>),
        [typeof(ImmutableSortedDictionary<,>)] = typeof(ImmutableSortedDictionaryModel<,>),
        [typeof(FrozenDictionary<,>)] = typeof(FrozenDictionaryModel<,>),
        [typeof(FrozenSet<>)] = typeof(FrozenSetModel<>),
        [typeof(KeyedCollection<,>)] = typeof(KeyedCollectionModel<,>),
        [typeof(OrderedDictionary<,>)] = typeof(OrderedDictionaryModel<,>),
        [typeof(ReadOnlySet<>)] = typeof(ReadOnlySetModel<>),
        [typeof(Lookup<,>)] = typeof(LookupModel<,>),
        [typeof(NameValueCollection)] = typeof(NameValueModel),
        [typeof(ExpandoObject)] = typeof(ExpandoModel),
        [typeof(Exception)] = typeof(ExceptionModel),
        [typeof(BitArray)] = typeof(BitArrayModel),
        [typeof(ArrayList)] = typeof(ArrayListModel),
        [typeof(Hashtable)] = typeof(HashtableModel),
    };

    /// <summary>The element types of collections without type arguments.</summary>
    private static readonly Dictionary<Type, Type[]> UntypedElements = new()
    {
        [typeof(BitArray)] = [typeof(bool)],
        [typeof(ArrayList)] = [typeof(object)],
        [typeof(Exception)] = [typeof(string), typeof(object)],
        [typeof(NameValueCollection)] = [typeof(string), typeof(string[])],
        [typeof(ExpandoObject)] = [typeof(string), typeof(object)],
        [typeof(Hashtable)] = [typeof(object), typeof(object)],
    };

    /// <summary>The base class library's types that have a model of their own.</summary>
    public static IEnumerable<Type> KnownTypes => [.. Collections.Keys, .. TextModels.Types];

    // The framework chooses the class of a frozen collection by its content: a private one, derived from the public base.
    private static Type? PublicCollectionBase(Type type)
    {
        for (Type? level = type; level is not null; level = level.BaseType)
        {
            if (level.IsConstructedGenericType && level.GetGenericTypeDefinition() is var definition
                && (definition == typeof(FrozenDictionary<,>) || definition == typeof(FrozenSet<>)))
                return level;
        }
        return null;
    }

    // An empty lookup is of a class that is not public.
    private static Type? LookupBase(Type type) => type.Assembly != typeof(Lookup<,>).Assembly
        ? null
        : Array.Find(
            type.GetInterfaces(), i => i.IsConstructedGenericType && i.GetGenericTypeDefinition() == typeof(ILookup<,>)) is { } lookup
            ? typeof(Lookup<,>).MakeGenericType(lookup.GetGenericArguments())
            : null;

    /// <summary>The collection of the base class library that a class derives from; null if there is none.</summary>
    public static Type? ContainerBase(Type type)
    {
        Type? level = type.BaseType;
        while (level is not null && !IsContainer(level))
            level = level.BaseType;
        return level;
    }

    /// <summary>Whether a type is an array or a collection of the base class library.</summary>
    public static bool IsContainer(Type type) =>
        type.IsArray || Collections.ContainsKey(type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type);

    /// <summary>Makes the model of an array or a collection; null if the type is neither.</summary>
    /// <param name="type">The type.</param>
    /// <param name="codecs">The codecs of its elements.</param>
    /// <param name="isEnumerated">Whether elements are written in the order of enumeration, as in MessagePack-CSharp.</param>
    public TypeModel? MakeContainer(Type type, FieldCodec[] codecs, bool isEnumerated = false)
    {
        Debug.Assert(!IsContainer(type) || codecs.Length == ElementTypes(type).Length, "Each kind of element has a codec.");
        if (isEnumerated && EnumeratedModel(type) is { } enumerated)
            return (TypeModel)Make(enumerated, type.GetGenericArguments(), [type, .. codecs, _models]);
        if (type.IsSZArray)
            return (TypeModel)Make(typeof(ArrayModel<>), [type.GetElementType()!], type, codecs[0], _models);
        if (type.IsArray)
            return new MultiDimensionalArrayModel(type, codecs[0], _models);
        if (Collections.TryGetValue(type, out Type? untyped))
            return (TypeModel)Activator.CreateInstance(untyped, [type, .. codecs, _models])!;
        if (!type.IsConstructedGenericType || !Collections.TryGetValue(type.GetGenericTypeDefinition(), out Type? model))
            return null;
        return (TypeModel)Make(model, type.GetGenericArguments(), [type, .. codecs, _models]);
    }

    private static Type? EnumeratedModel(Type type)
    {
        if (!type.IsConstructedGenericType)
            return null;
        Type definition = type.GetGenericTypeDefinition();
        return definition == typeof(ConcurrentStack<>)
            ? typeof(EnumeratedStackModel<>)
            : definition == typeof(ConcurrentBag<>)
            ? typeof(EnumeratedBagModel<>)
            : null;
    }

    /// <summary>The types of a container's elements, in the order of its model's codecs.</summary>
    public static Type[] ElementTypes(Type type) => type.IsArray
        ? [type.GetElementType()!]
        : type.IsConstructedGenericType && type.GetGenericTypeDefinition() == typeof(Lookup<,>)
        ? [typeof(KeyValuePair<,>).MakeGenericType(type.GetGenericArguments())]
        : UntypedElements.TryGetValue(type, out Type[]? elements) ? elements : type.GetGenericArguments();

    private FieldCodec[] ElementCodecs(Type type) => Array.ConvertAll(ElementTypes(type), _models.CodecFor);

    private DerivedCollectionModel MakeDerived(Type type, Type part) =>
        new(type, (ContainerModel)_models.ForType(part), MakeFieldList(type, part), _models);
}
