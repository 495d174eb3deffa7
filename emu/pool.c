/* pool: threads that run the jobs of draws and dispatches. See pool.h. */
#include "emu/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS_MAX 64u

struct emu_pool {
    unsigned threads; /* the caller's included */
    pthread_t thread[THREADS_MAX];
    unsigned started;

    pthread_mutex_t lock;
    pthread_cond_t work, done;
    uint64_t round;   /* of jobs: grows with each emu_pool_run */
    unsigned busy;    /* threads that have not finished the round */
    bool quit;
    unsigned jobs;
    void (*fn)(void *ctx, unsigned job);
    void *ctx;
    atomic_uint next; /* job that nobody has taken */
};

static void take_jobs(struct emu_pool *p)
{
    unsigned job;

    while ((job = atomic_fetch_add(&p->next, 1)) < p->jobs)
        p->fn(p->ctx, job);
}

static void *thread_main(void *arg)
{
    struct emu_pool *p = arg;
    uint64_t seen = 0;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->round == seen && !p->quit)
            pthread_cond_wait(&p->work, &p->lock);
        if (p->quit)
            break;
        seen = p->round;
        pthread_mutex_unlock(&p->lock);
        take_jobs(p);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct emu_pool *emu_pool_create(unsigned threads)
{
    struct emu_pool *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    if (!threads) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);

        threads = n > 0 ? (unsigned)n : 1;
    }
    p->threads = MIN2(threads, THREADS_MAX);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    return p;
}

void emu_pool_destroy(struct emu_pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->started; i++)
        pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

unsigned emu_pool_threads(const struct emu_pool *p)
{
    return p->threads;
}

/* The process may be a guest program's: its signals are not for these threads. One that cannot be made is one
 * that does not help. */
static void start_threads(struct emu_pool *p)
{
    sigset_t all, before;

    if (p->started == p->threads - 1)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (p->started < p->threads - 1 &&
           !pthread_create(&p->thread[p->started], NULL, thread_main, p))
        p->started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    p->threads = p->started + 1;
}

void emu_pool_run(struct emu_pool *p, unsigned jobs, void (*fn)(void *ctx, unsigned job), void *ctx)
{
    if (p->threads == 1 || jobs <= 1) {
        for (unsigned i = 0; i < jobs; i++)
            fn(ctx, i);
        return;
    }
    start_threads(p);
    pthread_mutex_lock(&p->lock);
    p->jobs = jobs;
    p->fn = fn;
    p->ctx = ctx;
    atomic_store(&p->next, 0);
    p->busy = p->started;
    p->round++;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);

    take_jobs(p);

    pthread_mutex_lock(&p->lock);
    while (p->busy)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}
